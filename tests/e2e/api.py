"""Every answer that a test gets is compared with what /openapi.json says of its route.

serve.py calls see() for each answer; what the description does not know is an assertion
that fails. A member that no schema names fails, too: the schemas are open for clients, and
closed here. Answers of servers that hide the description wait for another's.
"""
import copy
import http.client
import json
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import jsonschema

# What any route may answer without saying so: the front door, before a route is known.
ANY_ROUTE = {"405", "414", "421", "431", "500", "501"}


def closed(schema):
    """The schema, but objects have no members that it does not name."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(part) for key, part in schema.items()}
    if result.get("type") == "object" and "properties" in result:
        result.setdefault("additionalProperties", False)
    return result


class Description:
    """An OpenAPI document, as something that answers can be held against."""

    def __init__(self, document):
        self.document = copy.deepcopy(document)
        self.document["components"]["schemas"] = {
            name: closed(schema) for name, schema in document["components"]["schemas"].items()}
        self.codes = set(self.document["components"]["schemas"]["ProblemCode"]["examples"])
        self.paths = [(path.strip("/").split("/"), path) for path in document["paths"]]
        self.validators = {}
        self.hit = set()  # operationIds that gave an answer below 400

    def path_of(self, path):
        """The path of the document that a request's path is; those without braces win."""
        words = path.split("?")[0].strip("/").split("/")
        fit = [(sum(part.startswith("{") for part in parts), name) for parts, name in self.paths
               if len(parts) == len(words)
               and all(part.startswith("{") or part == word for part, word in zip(parts, words))]
        return min(fit)[1] if fit else None

    def resolve(self, node):
        while "$ref" in node:
            place = self.document
            for key in node["$ref"].split("/")[1:]:
                place = place[key]
            node = place
        return node

    def validate(self, name, schema, value):
        if name not in self.validators:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                resolver = jsonschema.RefResolver.from_schema(self.document)
                self.validators[name] = jsonschema.Draft202012Validator(schema, resolver=resolver)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            faults = [f"{'/'.join(map(str, fault.absolute_path))}: {fault.message[:300]}"
                      for fault in self.validators[name].iter_errors(value)]
        assert not faults, f"{name}: " + "; ".join(faults[:5])

    def check_problem(self, answer):
        problem = answer.json
        self.validate("a problem", {"$ref": "#/components/schemas/Problem"}, problem)
        assert problem["code"] in self.codes, f"the code {problem['code']} is not described"
        assert problem["status"] == answer.status, answer

    def check_headers(self, where, said, answer):
        for name in ["X-Request-Id", *said.get("headers", {})]:
            if name in ("X-Request-Id", "WWW-Authenticate", "Retry-After"):
                assert answer.headers.get(name), f"{where}: no {name}"

    def check(self, method, path, answer):
        where = f"{method} {path.split('?')[0]} {answer.status}"
        kind = (answer.headers.get("Content-Type") or "").split(";")[0]
        name = self.path_of(path)
        operation = self.document["paths"].get(name, {}).get(method.lower())
        if method in ("HEAD", "OPTIONS"):
            return
        if not operation:
            assert answer.status >= 400, f"{where}: not described"
            if kind == "application/problem+json":
                self.check_problem(answer)
            return
        responses = operation["responses"]
        status = str(answer.status)
        assert status in responses or status in ANY_ROUTE, f"{where}: the status is not described"
        said = self.resolve(responses.get(status, responses["default"]))
        self.check_headers(where, said, answer)
        if answer.status < 400:
            self.hit.add(operation["operationId"])
        if "content" not in said:
            assert not answer.body, f"{where}: a body that is not described"
            return
        if kind == "text/html" and answer.status >= 400:
            return  # the library's own, before it knows of a request
        if "*/*" in said["content"]:
            return  # files, each of its own type
        assert kind in said["content"], f"{where}: {kind} is not described"
        if kind == "application/problem+json":
            self.check_problem(answer)
        elif kind == "application/json":
            self.validate(where, said["content"][kind]["schema"], answer.json)
        elif kind == "application/jsonl":
            for line in answer.body.decode().splitlines():
                self.validate(where, said["content"][kind]["schema"], json.loads(line))


description = None  # of the first server that shows it
waiting = []


def ask_for(host, port):
    """The document of a server; None if it does not show it."""
    connection = http.client.HTTPConnection(host, port, timeout=30)
    try:
        connection.request("GET", "/openapi.json")
        answer = connection.getresponse()
        text = answer.read()
        return Description(json.loads(text)) if answer.status == 200 else None
    except OSError:
        return None
    finally:
        connection.close()


def see(server, method, path, answer):
    """Takes note of an answer, and compares it."""
    global description
    waiting.append((method, path, answer))
    description = description or ask_for(server.host, server.port)
    while description and waiting:
        description.check(*waiting.pop(0))
