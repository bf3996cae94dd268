#!/usr/bin/python3
"""A gRPC server for tests, with Debian's python3-grpcio: bank.v1.Accounts of tests/data/grpc.

    grpc_server.py PROTO_ROOT [CERTIFICATE KEY]

Prints its port once it listens, and ends when its standard input does. Run with the system's
Python, which has the package; the tests may run with another.
"""
import subprocess
import sys
import tempfile
import time
from concurrent import futures

import grpc
from google.protobuf import (descriptor_pb2, descriptor_pool, duration_pb2, json_format,
                             message_factory, timestamp_pb2, wrappers_pb2)


def messages(root):
    """The classes of the messages, by name, made from what protoc says of the files."""
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["protoc", f"-I{root}", "--include_imports",
                        f"--descriptor_set_out={out.name}", "bank/accounts.proto"], check=True)
        files = descriptor_pb2.FileDescriptorSet.FromString(out.read())
    pool = descriptor_pool.Default()
    known = {timestamp_pb2.DESCRIPTOR.name, duration_pb2.DESCRIPTOR.name,
             wrappers_pb2.DESCRIPTOR.name}
    for file in files.file:
        if file.name not in known:
            pool.Add(file)
    factory = message_factory.MessageFactory(pool)
    return lambda name: factory.GetPrototype(pool.FindMessageTypeByName(name))


def account(find):
    made = find("bank.v1.Account")()
    json_format.ParseDict({
        "ownerName": "Zoë", "points": "9007199254740993", "largest": "18446744073709551615",
        "lowest": "-5", "four": 7, "eight": "-8", "isOpen": True, "status": "STATUS_ACTIVE",
        "seal": "AAH/", "ratio": 0.25, "rate": 0.1, "openedAt": "2026-01-31T12:00:00.500Z",
        "notice": "172800s", "score": "42", "days": [1, 2, 300], "byYear": {"2025": "3"},
        "entries": [{"text": "a", "cents": "150"}, {"text": "b", "cents": "-2"}],
        "phone": "491", "balance": {"currencyCode": "EUR", "units": "12", "nanos": 500000000},
        "balanceCents": "1250", "changedMs": "1767225600000", "limitText": "99"}, made)
    return made


class Accounts:
    def __init__(self, find):
        self.find = find
        self.reply = find("bank.v1.GetReply")

    def get(self, request, context):
        asked = self.find("bank.v1.GetRequest").FromString(request)
        if asked.id == "nobody":
            context.abort(grpc.StatusCode.NOT_FOUND, "no such account")
        heard = json_format.MessageToJson(asked, sort_keys=True, indent=None)
        metadata = dict(context.invocation_metadata())
        if asked.id == "secret" and metadata.get("authorization") != "Bearer s3cret":
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "who are you?")
        if asked.id == "deadline":
            heard = str(round(context.time_remaining()))
        return self.reply(account=account(self.find), heard=heard).SerializeToString()

    def fail(self, request, context):
        asked = self.find("bank.v1.FailRequest").FromString(request)
        time.sleep(asked.sleep_ms / 1000)
        if asked.size:
            return self.reply(heard="x" * asked.size).SerializeToString()
        for code in grpc.StatusCode:
            if code.value[0] == asked.code:
                context.abort(code, asked.text)
        return b""


def main():
    find = messages(sys.argv[1])
    accounts = Accounts(find)
    server = grpc.server(futures.ThreadPoolExecutor(4))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bank.v1.Accounts", {
        "Get": grpc.unary_unary_rpc_method_handler(accounts.get),
        "Fail": grpc.unary_unary_rpc_method_handler(accounts.fail)}),))
    if len(sys.argv) > 2:
        chain, key = (open(name, "rb").read() for name in sys.argv[2:4])
        port = server.add_secure_port("127.0.0.1:0",
                                      grpc.ssl_server_credentials([(key, chain)]))
    else:
        port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    sys.stdin.read()
    server.stop(0)


if __name__ == "__main__":
    main()
