# SPDX-License-Identifier: BSD-3-Clause
# The targets of VNx's own Makefile, as far as ours names them. Two makes at once in one clone are a fault.
Ethernet/_x.%/cmac_$(INTERFACE).xo NetLayers/_x.%/networklayer.xo Basic_kernels/_x.%/krnl_mm2s.xo Basic_kernels/_x.%/krnl_s2mm.xo:
	@mkdir busy || { echo "two builds at once in $(CURDIR)"; exit 1; }
	@echo "vnx $@" >> "$(STAND_IN)/calls"
	@mkdir -p $(@D) && sleep 0.1 && echo kernel > $@
	@rmdir busy
