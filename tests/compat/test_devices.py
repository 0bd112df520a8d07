from __future__ import annotations

import importlib

import headwater
from headwater.compat import install as hook


def test_list_local_devices():
    hook.install()
    try:
        device_lib = importlib.import_module("tensorflow.python.client.device_lib")
        first = device_lib.list_local_devices()[0]
        assert (first.name, first.device_type) == ("/device:CPU:0", "CPU")
        assert first.memory_limit == 256 << 20
        assert first.HasField("locality")
        config = headwater.ConfigProto(device_count={"CPU": 2})
        names = [device.name for device in device_lib.list_local_devices(config)]
        assert names[:2] == ["/device:CPU:0", "/device:CPU:1"]
    finally:
        hook.uninstall()
