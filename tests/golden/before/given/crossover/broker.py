#!/usr/bin/env python3
"""An egress channel: keeps every intent in a file before it acknowledges it."""
import json
import os
import sys


def say(frame):
    print(json.dumps(frame), flush=True)


def main():
    with open(sys.argv[1], "a", encoding="utf-8") as orders:
        say({"type": "ready", "protocol": "ergo-egress.v1", "handled_kinds": ["place_order"]})
        for number, line in enumerate(sys.stdin, 1):
            frame = json.loads(line)
            if frame["type"] == "end":
                return
            orders.write(line)
            orders.flush()
            os.fsync(orders.fileno())
            say({"type": "intent_ack", "intent_id": frame["intent_id"], "status": "accepted",
                 "acceptance": "durable", "egress_ref": f"order-{number}"})


if __name__ == "__main__":
    main()
