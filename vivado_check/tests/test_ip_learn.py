# SPDX-License-Identifier: BSD-3-Clause
"""`--learn`: facts from the user's own files, which may be damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vivado_check.errors import InputError
from vivado_check.ip.catalogue import DATA, catalogue_of
from vivado_check.ip.facts import AXIMM, AXIS, CLOCK, Ip

RELEASE = "2022.2"
VLNV = "acme.com:user:mixer:2.0"

COMPONENT = """<?xml version="1.0"?>
<spirit:component xmlns:spirit="http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009"
  xmlns:xilinx="http://www.xilinx.com">
 <spirit:vendor>acme.com</spirit:vendor><spirit:library>user</spirit:library>
 <spirit:name>mixer</spirit:name><spirit:version>2.0</spirit:version>
 <spirit:busInterfaces>
  <spirit:busInterface><spirit:name>S_EXTRA</spirit:name>
   <spirit:busType spirit:vendor="xilinx.com" spirit:library="interface" spirit:name="axis"
    spirit:version="1.0"/>
   <spirit:slave/>
   <spirit:portMaps><spirit:portMap>
    <spirit:logicalPort><spirit:name>TDATA</spirit:name></spirit:logicalPort>
    <spirit:physicalPort><spirit:name>s_extra_tdata</spirit:name></spirit:physicalPort>
   </spirit:portMap></spirit:portMaps>
   <spirit:parameters><spirit:parameter><spirit:name>HAS_TLAST</spirit:name>
    <spirit:value spirit:id="BUSIFPARAM_VALUE.S_EXTRA.HAS_TLAST">0</spirit:value>
   </spirit:parameter></spirit:parameters>
   <spirit:vendorExtensions><xilinx:busInterfaceInfo><xilinx:enablement>
    <xilinx:isEnabled xilinx:resolve="dependent" xilinx:id="BUSIF_ENABLEMENT.S_EXTRA"
     xilinx:dependency="spirit:decode(id('MODELPARAM_VALUE.EXTRA')) > 0">false</xilinx:isEnabled>
   </xilinx:enablement></xilinx:busInterfaceInfo></spirit:vendorExtensions>
  </spirit:busInterface>
 </spirit:busInterfaces>
 <spirit:model><spirit:ports>
  <spirit:port><spirit:name>s_extra_tdata</spirit:name><spirit:wire><spirit:direction>in</spirit:direction>
   <spirit:vector>
    <spirit:left spirit:format="long" spirit:resolve="dependent"
     spirit:dependency="(spirit:decode(id('MODELPARAM_VALUE.WIDTH')) - 1)">31</spirit:left>
    <spirit:right spirit:format="long">0</spirit:right></spirit:vector>
   <spirit:driver><spirit:defaultValue>0</spirit:defaultValue></spirit:driver></spirit:wire>
   <spirit:vendorExtensions><xilinx:portInfo><xilinx:enablement>
    <xilinx:isEnabled xilinx:resolve="dependent" xilinx:id="PORT_ENABLEMENT.s_extra_tdata"
     xilinx:dependency="spirit:decode(id('MODELPARAM_VALUE.EXTRA')) > 0">false</xilinx:isEnabled>
   </xilinx:enablement></xilinx:portInfo></spirit:vendorExtensions></spirit:port>
  <spirit:port><spirit:name>clk</spirit:name><spirit:wire><spirit:direction>in</spirit:direction></spirit:wire>
  </spirit:port>
 </spirit:ports>
 <spirit:modelParameters>
  <spirit:modelParameter><spirit:name>WIDTH</spirit:name>
   <spirit:value spirit:resolve="generated" spirit:id="MODELPARAM_VALUE.WIDTH">32</spirit:value>
  </spirit:modelParameter>
  <spirit:modelParameter><spirit:name>EXTRA</spirit:name>
   <spirit:value spirit:resolve="generated" spirit:id="MODELPARAM_VALUE.EXTRA">0</spirit:value>
  </spirit:modelParameter>
 </spirit:modelParameters></spirit:model>
 <spirit:choices><spirit:choice><spirit:name>few</spirit:name>
  <spirit:enumeration>32</spirit:enumeration><spirit:enumeration>64</spirit:enumeration>
 </spirit:choice></spirit:choices>
 <spirit:parameters>
  <spirit:parameter><spirit:name>WIDTH</spirit:name><spirit:value spirit:format="long" spirit:resolve="user"
   spirit:id="PARAM_VALUE.WIDTH" spirit:choiceRef="few">32</spirit:value></spirit:parameter>
  <spirit:parameter><spirit:name>EXTRA</spirit:name><spirit:value spirit:format="long" spirit:resolve="user"
   spirit:id="PARAM_VALUE.EXTRA" spirit:minimum="0" spirit:maximum="3">0</spirit:value></spirit:parameter>
 </spirit:parameters>
</spirit:component>
"""

HANDOFF = f"""<?xml version="1.0"?>
<EDKSYSTEM VIVADOVERSION="2022.2"><MODULES>
 <MODULE FULLNAME="/mixer_0" INSTANCE="mixer_0" VLNV="{VLNV}">
  <ADDRESSBLOCKS>
   <ADDRESSBLOCK ACCESS="" INTERFACE="S_AXI" NAME="reg0" RANGE="4096" USAGE="register"/>
  </ADDRESSBLOCKS>
  <PARAMETERS><PARAMETER NAME="WIDTH" VALUE="64"/></PARAMETERS>
  <PORTS><PORT DIR="I" NAME="clk" SIGIS="clk"/>
   <PORT DIR="O" LEFT="63" RIGHT="0" NAME="m_tdata" SIGIS="undef"/></PORTS>
  <BUSINTERFACES>
   <BUSINTERFACE NAME="M" TYPE="INITIATOR" VLNV="xilinx.com:interface:axis:1.0">
    <PARAMETER NAME="HAS_TLAST" VALUE="1"/>
    <PORTMAPS><PORTMAP LOGICAL="TDATA" PHYSICAL="m_tdata"/></PORTMAPS></BUSINTERFACE>
   <BUSINTERFACE NAME="S_AXI" TYPE="TARGET" VLNV="xilinx.com:interface:aximm:1.0"/>
  </BUSINTERFACES>
 </MODULE></MODULES></EDKSYSTEM>
"""


def learned(path: Path, vlnv: str = VLNV) -> Ip:
    found = catalogue_of((path,)).find(vlnv, RELEASE)
    assert found is not None
    return found


def test_a_packaged_ip(tmp_path: Path) -> None:
    (tmp_path / "deep" / "mixer").mkdir(parents=True)
    (tmp_path / "deep" / "mixer" / "component.xml").write_text(COMPONENT)
    ip = learned(tmp_path)
    assert ip.complete
    plain = ip.resolve({})
    assert plain.complete
    assert not plain.doubtful
    assert not plain.interfaces
    assert set(plain.ports) == {"clk"}
    wide = ip.resolve({"extra": "2", "WIDTH": "64"})
    assert wide.interfaces["S_EXTRA"].vlnv == AXIS
    assert wide.interfaces["S_EXTRA"].params["HAS_TLAST"] == "0"
    assert wide.ports["s_extra_tdata"].bits == 64
    assert wide.ports["s_extra_tdata"].default == "0"
    width, extra = ip.parameter("Width", {}), ip.parameter("EXTRA", {})
    assert width is not None
    assert extra is not None
    assert width.choices == ("32", "64")
    assert (extra.lowest, extra.highest, extra.default) == (0, 3, "0")
    assert catalogue_of((tmp_path,)).versions("acme.com:user:mixer:*", RELEASE) == (VLNV,)


def test_a_hand_off(tmp_path: Path) -> None:
    path = tmp_path / "design.hwh"
    path.write_text(HANDOFF)
    found = learned(path).resolve({})
    assert not found.complete
    assert (found.interfaces["M"].mode, found.interfaces["M"].vlnv) == ("master", AXIS)
    assert found.interfaces["S_AXI"].vlnv == AXIMM
    assert found.interfaces["clk"].vlnv == CLOCK
    (block,) = found.blocks
    assert (block.memory, block.name, block.range) == ("S_AXI", "reg0", 4096)


def test_an_instance_is_named_by_the_xci_beside_it(tmp_path: Path) -> None:
    sheet = COMPONENT.replace(">user<", ">customized_ip<").replace(">mixer<", ">top_mixer_0<")
    for tree, suffix, text in (
        ("p.gen", "xml", sheet),
        ("p.srcs", "xci", json.dumps({"ip_inst": {"component_reference": VLNV}})),
    ):
        folder = tmp_path / tree / "ip" / "top_mixer_0"
        folder.mkdir(parents=True)
        (folder / f"top_mixer_0.{suffix}").write_text(text)
    found = learned(tmp_path)
    assert "S_EXTRA" in found.resolve({"EXTRA": "1"}).interfaces
    parameter = found.parameter("WIDTH", {})
    assert parameter is not None
    assert parameter.choices is None, "an instance may have narrowed them"


def test_what_is_mined_is_known_better() -> None:
    assert any(DATA.iterdir())
    found = catalogue_of(()).find("xilinx.com:ip:axi_dma:7.1", RELEASE)
    assert found is not None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("component.xml", '<!DOCTYPE a [<!ENTITY b "c">]><spirit:component/>'),
        ("component.xml", "<spirit:component"),
        ("component.xml", "<other/>"),
        ("component.xml", "<a>" * 5000),
        ("design.hwh", "<nothing/>"),
        ("design.hwh", "\0\1\2"),
        ("x.xci", '{"ip_inst": 3}'),
        ("x.xci", '{"ip_inst": {"boundary": {"ports": {"a": [1]}, "interfaces": [2]}, "parameters": 7}}'),
        ("x.bd", '{"design": {"components": {"a": {"vlnv": 1, "ports": {"p": 2}, "components": 3}}}}'),
        ("x.bd", "[" * 100_000),
        ("x.txt", "text"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError, match=name):
        catalogue_of((path,))
    with pytest.raises(InputError, match="nothing in it tells of an IP"):
        catalogue_of((tmp_path,))


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file or folder"):
        catalogue_of((tmp_path / "missing",))
