# SPDX-License-Identifier: BSD-3-Clause
"""Quality of the bench: single mistakes in generated cores and in blocks, and whether it finds them.

`verilog` reads a module, `operators` says what can be wrong with a part of it, `sites` lists the mutants of a
file, `elaborated` which of them are in the design, `schema` writes all of them into one source that chooses
at run time, `clusters` has two boards of each kind of link, `trial` runs a mutant, `score` counts. A mutant
of a constant is a model of its own.
"""
