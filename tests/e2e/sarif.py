"""What the JSON schema of SARIF 2.1.0 (OASIS, errata 01) demands of the parts that we write.

One table: for each object its properties with their kinds, which are required, and that there are
no others. `check(log)` raises AssertionError at the first fault, with its path."""
import re

TEXT, NUMBER, LIST, URI = "text", "number", "list", "uri"

# object: (required, {property: kind}); a kind is TEXT, URI, a least number, a set of words,
# the name of an object, or [the name of an object] for a list of them
OBJECTS = {
    "log": ({"version", "runs"}, {"$schema": URI, "version": {"2.1.0"}, "runs": ["run"]}),
    "run": ({"tool"}, {"tool": "tool", "results": ["result"], "columnKind": {"utf16CodeUnits", "unicodeCodePoints"}}),
    "tool": ({"driver"}, {"driver": "toolComponent"}),
    "toolComponent": ({"name"}, {"name": TEXT, "semanticVersion": TEXT, "rules": ["reportingDescriptor"]}),
    "reportingDescriptor": ({"id"}, {"id": TEXT, "shortDescription": "multiformatMessageString",
                                     "fullDescription": "multiformatMessageString",
                                     "help": "multiformatMessageString"}),
    "multiformatMessageString": ({"text"}, {"text": TEXT}),
    "result": ({"message"}, {"message": "message", "ruleId": TEXT, "ruleIndex": -1,
                             "level": {"none", "note", "warning", "error"}, "locations": ["location"],
                             "fixes": ["fix"]}),
    "message": ({"text"}, {"text": TEXT}),
    "location": (set(), {"physicalLocation": "physicalLocation", "logicalLocations": ["logicalLocation"]}),
    "logicalLocation": (set(), {"name": TEXT, "fullyQualifiedName": TEXT, "kind": TEXT}),
    "physicalLocation": ({"artifactLocation"}, {"artifactLocation": "artifactLocation", "region": "region"}),
    "artifactLocation": (set(), {"uri": URI}),
    "region": (set(), {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1}),
    "fix": ({"artifactChanges"}, {"description": "message", "artifactChanges": ["artifactChange"]}),
    "artifactChange": ({"artifactLocation", "replacements"},
                       {"artifactLocation": "artifactLocation", "replacements": ["replacement"]}),
    "replacement": ({"deletedRegion"}, {"deletedRegion": "region", "insertedContent": "artifactContent"}),
    "artifactContent": (set(), {"text": TEXT}),
}
NOT_EMPTY = {"artifactChanges", "replacements"}
URI_REFERENCE = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]*")
SEMANTIC = re.compile(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?")


def check_kind(kind, value, path):
    if kind == TEXT:
        assert isinstance(value, str), f"{path} is not text"
    elif kind == URI:
        assert isinstance(value, str) and URI_REFERENCE.fullmatch(value), f"{path}: {value!r} is not a URI reference"
    elif isinstance(kind, int):
        assert isinstance(value, int) and not isinstance(value, bool) and value >= kind, f"{path}: {value!r} < {kind}"
    elif isinstance(kind, set):
        assert value in kind, f"{path}: {value!r} is none of {kind}"
    elif isinstance(kind, list):
        assert isinstance(value, list), f"{path} is not a list"
        assert value or path.rsplit(".", 1)[1] not in NOT_EMPTY, f"{path} is empty"
        for index, item in enumerate(value):
            check_object(kind[0], item, f"{path}[{index}]")
    else:
        check_object(kind, value, path)


def check_object(name, value, path):
    required, properties = OBJECTS[name]
    assert isinstance(value, dict), f"{path} is not an object"
    assert required <= set(value), f"{path} lacks {required - set(value)}"
    assert set(value) <= set(properties), f"{path} has {set(value) - set(properties)}"
    for key, inner in value.items():
        check_kind(properties[key], inner, f"{path}.{key}")
    if name == "region" and "endLine" in value:
        start = (value["startLine"], value.get("startColumn", 1))
        assert (value["endLine"], value["endColumn"]) >= start, f"{path} ends before it begins"


def check(log):
    check_object("log", log, "log")
    for run in log["runs"]:
        driver = run["tool"]["driver"]
        assert SEMANTIC.fullmatch(driver["semanticVersion"])
        ids = [rule["id"] for rule in driver["rules"]]
        assert len(ids) == len(set(ids)), "a rule is listed twice"
        for result in run["results"]:
            assert ids[result["ruleIndex"]] == result["ruleId"]
