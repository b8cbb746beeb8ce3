# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen serve`: the Open Inference Protocol by a client of other authors, and text for Prometheus."""

from __future__ import annotations

import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import tritonclient.http as triton
from host_model_files import scale_model, threshold_model
from host_pair import Running, files, golden, guarded, out  # noqa: F401 - fixtures
from prometheus_client.parser import text_string_to_metric_families

from shellgen.cli import main
from shellgen.read.host_models import host_models
from shellgen_host.tensors import DTYPES, RequestError, Spec, answer, read_request

pytestmark = pytest.mark.xdist_group("rehearse")

SPECS = [Spec("x", "FP32", (4,))]


@pytest.fixture(scope="module")
def served(guarded: Running, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:  # noqa: F811
    """Address of a server for a model with operators before and behind the boards."""
    folder = tmp_path_factory.mktemp("served")
    shutil.copy(guarded.out / "memory_map.json", folder)
    before = threshold_model((1, 4), np.arange(-7, 8)[None], out_bias=-8.0, data_layout="NC")
    onnx.save(before, str(folder / "host_before.onnx"))
    (folder / "host_before.onnx").write_bytes(host_models(folder)["host_before.onnx"])
    onnx.save(scale_model(3), str(folder / "host_after.onnx"))
    tables = "".join(
        f'[[node]]\nname = "{name}"\naddress = "{at}:{port}"\n' for name, (at, port) in guarded.hosts.items()
    )
    (folder / "hosts.toml").write_text(f'token = "{guarded.hosts.token.hex()}"\n{tables}')
    words = ["serve", str(folder), "--hosts", str(folder / "hosts.toml"), "--listen", "127.0.0.1:0"]
    process = subprocess.Popen(
        [sys.executable, "-m", "shellgen", *words, "--name", "digits"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    said = process.stdout.readline()
    found = re.fullmatch(r"model digits at http://(\S+)/v2/models/digits, metrics at /metrics\n", said)
    assert found, said
    try:
        yield found[1]
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert process.stdout.read() == "ended\n"


def ask(address: str, data: bytes) -> tuple[int, bytes]:
    """Send a request as bytes; return status and body."""
    host, _, port = address.partition(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(data)
        found = b""
        while piece := connection.recv(65536):
            found += piece
    head, _, body = found.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


def post(address: str, body: bytes, *headers: str) -> tuple[int, dict[str, Any]]:
    lines = ["POST /v2/models/digits/infer HTTP/1.1", "Host: x", "Connection: close", *headers]
    lines += [f"Content-Length: {len(body)}", "", ""]
    status, found = ask(address, "\r\n".join(lines).encode() + body)
    return status, json.loads(found)


def test_the_client_from_elsewhere(served: str, guarded: Running) -> None:  # noqa: F811
    """Metadata, inference with binary and with listed tensors, several clients at once, errors, figures."""
    x, y = golden(guarded.out)
    floats = (x.reshape(len(x), 4) + 0.25).astype(np.float32)
    wanted = y.reshape(len(y), 3) / 2
    client = triton.InferenceServerClient(served)
    assert client.is_server_live()
    assert client.is_server_ready()
    assert client.is_model_ready("digits")
    assert client.get_server_metadata()["extensions"] == ["binary_tensor_data"]
    about = client.get_model_metadata("digits")
    assert about["inputs"] == [{"name": "x", "datatype": "FP32", "shape": [-1, 4]}]
    assert about["outputs"] == [{"name": "z", "datatype": "FP32", "shape": [-1, 3]}]

    def infer(values: Any, *, binary: bool, outputs: Any = None, model: str = "digits") -> Any:
        entry = triton.InferInput("x", list(values.shape), "FP32")
        entry.set_data_from_numpy(values, binary_data=binary)
        mine = triton.InferenceServerClient(served)  # each has one thread
        return mine.infer(model, [entry], outputs=outputs, request_id="7")

    for binary in (True, False):
        for outputs in (None, [triton.InferRequestedOutput("z", binary_data=binary)]):
            found = infer(floats, binary=binary, outputs=outputs)
            assert np.array_equal(found.as_numpy("z"), wanted)
            assert found.get_response()["id"] == "7"
    results: dict[int, Any] = {}

    def many(number: int) -> None:
        results[number] = infer(np.roll(floats, number, 0), binary=True).as_numpy("z")

    threads = [threading.Thread(target=many, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert all(np.array_equal(results[number], np.roll(wanted, number, 0)) for number in range(20))
    for values, model, said in (
        (floats[:, :3], "digits", r"\[400\] inputs: x: shape is \[5, 3\], and the model takes"),
        (
            floats,
            "letters",
            r"\[404\] .*no such path; this server has the model digits, at /v2/models/digits",
        ),
    ):
        with pytest.raises(triton.InferenceServerException, match=said):
            infer(values, binary=True, model=model)
    with pytest.raises(triton.InferenceServerException, match="outputs: there is no 'y'; there are z"):
        infer(floats, binary=True, outputs=[triton.InferRequestedOutput("y")])
    with pytest.raises(triton.InferenceServerException, match="classification is an extension"):
        infer(floats, binary=True, outputs=[triton.InferRequestedOutput("z", class_count=2)])
    status, text = ask(served, b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert status == 200
    samples = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }
    assert samples["shellgen_frames_total",] >= 24 * len(x)
    assert samples["shellgen_requests_total", "400"] >= 3
    assert samples["shellgen_node_up", "two"] == 1
    assert samples["shellgen_epochs_total",] == 1
    assert samples["shellgen_request_seconds_count",] >= 24


def test_requests_from_anywhere(served: str) -> None:
    """No request, one that is too large, or from a page of another site: answered, and the next works."""
    good = b'{"inputs":[{"name":"x","shape":[1,4],"datatype":"FP32","data":[1,2,3,4]}]}'
    cases: list[tuple[bytes, tuple[str, ...], int, str]] = [
        (good, (), 200, ""),
        (b"[" * 100_000, (), 400, "the request is not JSON"),
        (b"\xff\xfe", (), 400, "the request is not JSON"),
        (good, ("Inference-Header-Content-Length: 9999",), 400, "9999 is not within the body"),
        (good, ("Inference-Header-Content-Length: -1",), 400, "it is no whole number"),
        (good, ("Inference-Header-Content-Length: 10",), 400, "the request is not JSON"),
        (good, ("Origin: http://elsewhere",), 403, "requests of web pages are not taken"),
        (good, ("Content-Encoding: gzip",), 400, ""),
        (good, (), 200, ""),
    ]
    for body, headers, status, said in cases:
        found, answered = post(served, body, *headers)
        assert found == status, answered
        assert said in answered.get("error", "")
    head = b"POST /v2/models/digits/infer HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    status, text = ask(served, head + b"Content-Length: 99999999999\r\n\r\n{}")
    assert status == 413
    assert b"has more than 67,108,864 bytes" in text
    for path in (b"/v2/models/%2e%2e/infer", b"/../../etc/passwd", b"/v2/models/digits/versions/2"):
        assert ask(served, b"GET " + path + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")[0] == 404


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": "y"}, "there is no 'y'; there are x"),
        ({"shape": [1, 5]}, "the model takes [frames, 4]"),
        ({"shape": [0, 4]}, "no whole number above 0"),
        ({"shape": [1e999, 4]}, "no whole number above 0"),
        ({"shape": [True, 4]}, "no whole number above 0"),
        ({"shape": "4"}, "no list of 1 to 8 sizes"),
        ({"datatype": "BYTES"}, "is unknown; known are BOOL"),
        ({"data": [1, 2, 3]}, "data has not 4 numbers"),
        ({"data": [[1, 2], [3]]}, "data is no array of numbers"),
        ({"data": ["a"] * 4}, "data has not 4 numbers"),
        ({"data": [1e999, 0, 0, 0], "datatype": "INT8"}, "does not fit its datatype"),
        ({"data": [300, 0, 0, 0], "datatype": "UINT8"}, "does not fit its datatype"),
        ({"data": [0.5, 0, 0, 0], "datatype": "INT8"}, "does not fit its datatype"),
        ({"parameters": {"binary_data_size": 16}}, "binary_data_size does not fit"),
        ({"parameters": {"binary_data_size": -16}}, "binary_data_size does not fit"),
        ({"parameters": {"shared_memory_region": "a"}}, "shared_memory_region is an extension"),
        ({"parameters": []}, "parameters: they are no object"),
    ],
)
def test_a_tensor_that_does_not_fit(change: dict[str, Any], said: str) -> None:
    entry = {"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [1, 2, 3, 4]} | change
    with pytest.raises(RequestError) as found:
        read_request(json.dumps({"inputs": [entry]}).encode(), None, SPECS)
    assert said in str(found.value)


@pytest.mark.parametrize("name", DTYPES)
def test_every_type_there_and_back(name: str) -> None:
    """By bytes and by a list."""
    values = np.array([[0, 1, 1, 0], [1, 0, 0, 1]]).astype(DTYPES[name])
    entry: dict[str, Any] = {"name": "x", "shape": [2, 4], "datatype": name}
    for raw in (values.tobytes(), b""):
        extra = {"parameters": {"binary_data_size": len(raw)}} if raw else {"data": values.tolist()}
        head = json.dumps({"inputs": [entry | extra], "id": "a"}).encode()
        request = read_request(head + raw, len(head) if raw else None, SPECS)
        assert np.array_equal(request.inputs["x"], values)
        body, length = answer("m", request, {"y": request.inputs["x"]})
        assert length is None
        found = json.loads(body)
        assert (found["id"], found["outputs"][0]["datatype"]) == ("a", name)
        assert np.array_equal(np.array(found["outputs"][0]["data"]).reshape(2, 4), values)


def test_serve_refuses(out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: F811
    """No address, and hosts that are missing."""
    hosts = tmp_path / "hosts.toml"
    hosts.write_text("")
    words = ["serve", str(out), "--hosts", str(hosts)]
    assert main([*words, "--listen", "8000"]) == 2
    assert "--listen: got '8000'; give HOST:PORT" in capsys.readouterr().err
    assert main(words) == 2
    assert "Add a [[node]]" in capsys.readouterr().err
