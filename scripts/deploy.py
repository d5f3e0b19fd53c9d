#!/usr/bin/env python3
"""Checks the files of deploy/ as far as a machine without containers can: schemas, the programs' own checks, and that every setting named is one.

    scripts/deploy.py [--refdesk target/debug/refdesk] [--tools target/test-tools/deploy]

Compose file: the schema of the Compose specification (docker-compose 1.29.2 of PyPI brings it). Kubernetes: both overlays rendered by
kustomize (`kubectl kustomize`), every object against the schemas of Kubernetes in strict form (kubernetes-validate of PyPI), and what
schemas do not say. HAProxy, nginx: their own checks of the very files; scripts/cluster.py runs them. systemd: `verify`, and
`security --offline` with a bound of 2.0. A program that is missing is told; with REFDESK_TEST_ALL=1 that is a failure.
"""
import glob, io, json, os, re, shutil, subprocess, sys, tempfile, zipfile

import page
from checks import end, failures, held, skip, skipped
from desk import ROOT, command_line
from engines import DEPLOY, program

EXPOSURE_MAX = 2.0
NODES = {"REFDESK_NODE_1": "127.0.0.1:1", "REFDESK_NODE_2": "127.0.0.1:2", "REFDESK_NODE_3": "127.0.0.1:3"}
# Variables of these files that are none of refdesk's.
FOREIGN = {"REFDESK_PROXY_LISTEN", "REFDESK_IMAGE", *NODES}


def have(name, package):
    path = program(name)
    if not path:
        skip(f"{name} is missing", f"install the package {package}")
    return path


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    return done.returncode == 0, (done.stderr + done.stdout).strip()


def with_tools(folder):
    """Goes on in a virtual environment that has the schemas."""
    python = os.path.join(folder, "bin", "python")
    if os.path.abspath(sys.executable) != os.path.abspath(python):
        if not os.path.exists(python):
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "pyyaml", "jsonschema", "kubernetes-validate"], check=True)
        os.execv(python, [python, *sys.argv])


def settings():
    """Variables of all settings, as the generated reference lists them."""
    return set(re.findall(r"\| `(REFDESK_[A-Z0-9_]+)` \|", page.read(os.path.join(ROOT, "docs", "settings.md"))))


def names_are_settings():
    known = settings() | FOREIGN
    for path in sorted(glob.glob(os.path.join(DEPLOY, "**", "*"), recursive=True)):
        if os.path.isfile(path):
            unknown = set(re.findall(r"REFDESK_[A-Z0-9_]+", page.read(path))) - known
            held(f"{os.path.relpath(path, ROOT)}: every variable is a setting", not unknown, ", ".join(sorted(unknown)))


def compose(tools):
    import jsonschema, yaml
    wheel = os.path.join(tools, "docker_compose-1.29.2-py2.py3-none-any.whl")
    if not os.path.exists(wheel):
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", tools, "docker-compose==1.29.2"], check=True)
    schema = json.loads(zipfile.ZipFile(wheel).read("compose/config/compose_spec.json"))
    file = yaml.safe_load(page.read(os.path.join(DEPLOY, "compose.yaml")))
    errors = list(jsonschema.Draft7Validator(schema).iter_errors(file))
    held("compose.yaml: the Compose schema", not errors, "; ".join(f"{'/'.join(map(str, e.path))}: {e.message}" for e in errors[:5]))
    services = file["services"]
    asked = set(re.findall(r"\$\{(\w+)\}", page.read(os.path.join(DEPLOY, "haproxy.cfg"))))
    given = services["haproxy"]["environment"]
    held("compose.yaml: HAProxy is told every address that its file asks for", asked == set(given), f"{asked ^ set(given)}")
    targets = {given[name].split(":")[0] for name in NODES}
    held("compose.yaml: HAProxy's nodes are services", targets == {s for s in services if s.startswith("node")}, f"{targets}")
    nodes = [services[name] for name in targets]
    held("compose.yaml: nodes differ in their volume only", len({json.dumps({k: v for k, v in n.items() if k != "volumes"}, sort_keys=True) for n in nodes}) == 1)
    held("compose.yaml: only the proxy is published", [name for name, service in services.items() if "ports" in service] == ["haproxy"])


def kubernetes():
    import kubernetes_validate, yaml
    kubectl = have("kubectl", "kubernetes-client")
    if not kubectl:
        return
    for overlay in sorted(os.listdir(os.path.join(DEPLOY, "kubernetes", "overlays"))):
        rendered, out = run(kubectl, "kustomize", os.path.join(DEPLOY, "kubernetes", "overlays", overlay))
        held(f"{overlay}: kustomize renders it", rendered, out)
        if not rendered:
            continue
        objects = [o for o in yaml.safe_load_all(io.StringIO(out)) if o]
        for o in objects:
            name, wrong = f"{overlay}: {o['kind']} {o['metadata']['name']}", ""
            try:
                kubernetes_validate.validate(o, "1.34", strict=True)
            except (kubernetes_validate.ValidationError, kubernetes_validate.InvalidSchemaError, kubernetes_validate.SchemaNotFoundError) as error:
                wrong = str(error)
            held(f"{name}: the schema of Kubernetes", not wrong, wrong)
        consistent(overlay, objects)


def consistent(overlay, objects):
    """What schemas do not say: selectors find pods, each pod keeps to the restricted profile, and what it refers to is there."""
    of = lambda kind: [o for o in objects if o["kind"] == kind]
    pods = {o["metadata"]["name"]: o["spec"]["template"] for o in of("Deployment")}
    fits = lambda selector, labels: selector.items() <= labels.items()
    for o in of("Deployment"):
        held(f"{overlay}: {o['metadata']['name']} selects its own pods", fits(o["spec"]["selector"]["matchLabels"], o["spec"]["template"]["metadata"]["labels"]))
    for o in of("Service") + of("PodDisruptionBudget"):
        selector = o["spec"]["selector"].get("matchLabels", o["spec"]["selector"])
        found = [name for name, pod in pods.items() if fits(selector, pod["metadata"]["labels"])]
        held(f"{overlay}: {o['kind']} {o['metadata']['name']} stands before the nodes alone", found == ["refdesk-node"], f"{found}")
    maps = {o["metadata"]["name"] for o in of("ConfigMap")}
    roles = {}
    for name, pod in pods.items():
        spec, (container,) = pod["spec"], pod["spec"]["containers"]
        secure, inner = spec["securityContext"], container["securityContext"]
        restricted = secure["runAsNonRoot"] and secure["seccompProfile"]["type"] == "RuntimeDefault" and inner["capabilities"]["drop"] == ["ALL"]
        held(f"{overlay}: {name} keeps to the restricted profile", restricted and not inner["allowPrivilegeEscalation"] and inner["readOnlyRootFilesystem"])
        refers = {e["configMapRef"]["name"] for e in container["envFrom"] if "configMapRef" in e}
        held(f"{overlay}: {name} has its settings", refers <= maps, f"{refers}")
        held(f"{overlay}: {name} has an image of a registry", "/" in container["image"] and ":" in container["image"], container["image"])
        (data,) = [o["data"] for o in of("ConfigMap")]
        roles[name] = next((e["value"] for e in container.get("env", []) if e["name"] == "REFDESK_ROLE"), data.get("REFDESK_ROLE"))
    wanted = {"three-nodes": {"refdesk-node": "all"}, "readers-and-syncers": {"refdesk-node": "reader", "refdesk-syncer": "syncer"}}
    held(f"{overlay}: roles", roles == wanted[overlay], f"{roles}")


def proxies():
    haproxy, nginx = have("haproxy", "haproxy"), have("nginx", "nginx-light")
    if haproxy:
        environment = {**os.environ, **NODES, "REFDESK_PROXY_LISTEN": "127.0.0.1:1"}
        held("haproxy.cfg: HAProxy takes it", *run(haproxy, "-c", "-f", os.path.join(DEPLOY, "haproxy.cfg"), env=environment))
    if nginx:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(os.path.join(DEPLOY, "nginx"), folder, dirs_exist_ok=True)
            path = os.path.join(folder, "nodes.conf")
            nodes = page.read(path)
            held("nginx/nodes.conf: no failure takes a node out", all("max_fails=0" in line for line in nodes.splitlines() if line.startswith("server")))
            # The names of the file are none here.
            page.write(path, re.sub(r"node\d", "127.0.0.1", nodes))
            held("nginx.conf: nginx takes it", *run(nginx, "-t", "-p", folder, "-c", os.path.join(folder, "nginx.conf")))


def systemd(refdesk):
    analyze = have("systemd-analyze", "systemd")
    if not analyze:
        return
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(glob.glob(os.path.join(DEPLOY, "systemd", "*.service"))):
            name = os.path.basename(path)
            secure, out = run(analyze, "security", "--offline=true", f"--threshold={EXPOSURE_MAX * 10:.0f}", "--no-pager", path)
            level = re.search(r"exposure level for \S+: ([\d.]+)", out)
            held(f"{name}: exposure {level.group(1) if level else '?'}, at most {EXPOSURE_MAX}", secure, out)
            # `verify` looks whether the program is there.
            page.write(os.path.join(folder, name), page.read(path).replace("/usr/bin/refdesk", os.path.abspath(refdesk) if refdesk else "/bin/true"))
            _, out = run(analyze, "verify", "--man=no", os.path.join(folder, name.replace("@", "@reader")))
            told = [line for line in out.splitlines() if "refdesk" in line]
            held(f"{name}: systemd takes it", not told, "; ".join(told))


def main():
    parser = command_line(__doc__, needs_binary=False)
    parser.add_argument("--tools", default=os.path.join(ROOT, "target", "test-tools", "deploy"), help="a folder for what is installed")
    options = parser.parse_args()
    with_tools(options.tools)
    names_are_settings()
    compose(options.tools)
    kubernetes()
    proxies()
    systemd(options.refdesk)
    end(f"{len(failures)} failures, {len(skipped)} programs missing")


if __name__ == "__main__":
    main()
