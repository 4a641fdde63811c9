"""Tasks and answers on a pipe or a socket: one line of JSON, and as many bytes as it says."""

import json


def write(stream, header, payload=b""):
    """Writes a frame."""
    stream.write(json.dumps({**header, "bytes": len(payload)}, separators=(",", ":")).encode() + b"\n")
    stream.write(payload)
    stream.flush()


def read(stream):
    """Reads a frame as a header and bytes; None at the end, also if it comes in the middle of a frame."""
    try:
        line = stream.readline()
        if not line.endswith(b"\n"):
            return None
        header = json.loads(line)
        payload = stream.read(header["bytes"])
    except ConnectionError:
        return None
    return (header, payload) if len(payload) == header["bytes"] else None
