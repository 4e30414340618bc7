"""A rejected command covers the commands that do the same: other managers of packages, other names of a kind."""

from __future__ import annotations

import pytest

import bardo
from bardo.conduct.parse.actions.command_forms import of_text

SAME = [
    ("npm install left-pad", "npm i left-pad"),
    ("npm install left-pad", "yarn add left-pad"),
    ("npm install left-pad", "pnpm add left-pad"),
    ("npm install left-pad", "bun add left-pad"),
    ("npm install left-pad", "npm i -D left-pad@1.3.0"),
    ("npm install left-pad", "npm --prefix web install --save left-pad react"),
    ("yarn add left-pad", "npm install --save left-pad"),
    ("npm install @acme/ui-kit", "yarn add @acme/ui-kit@2"),
    ("npm install -g typescript", "pnpm add -g typescript"),
    ("npm uninstall left-pad", "yarn remove left-pad"),
    ("don't use `npm install left-pad`", "yarn add left-pad"),
    ("pip install requests", "uv pip install requests"),
    ("pip install requests", "poetry add 'requests[socks]>=2'"),
    ("pip install requests", "python3 -m pip install -U requests"),
    ("apt install nginx", "sudo apt-get install -y nginx"),
    ("kubectl delete pvc", "kubectl delete persistentvolumeclaim data-0"),
    ("kubectl delete pvc", "kubectl delete persistentvolumeclaims --all -n pay"),
    ("kubectl delete pvc", "kubectl -n pay delete pvc/data-ledger-0"),
    ("kubectl delete pvc", 'bash -c "kubectl delete persistentvolumeclaim data-0"'),
    (
        "kubectl delete pvc",
        '{"type": "tool_use", "input": {"command": "kubectl delete persistentvolumeclaim a"}}',
    ),
    ("never run kubectl delete pvc", "oc delete persistentvolumeclaims --all"),
    ("kubectl delete deployment api", "kubectl delete deploy/api"),
    ("kubectl delete deploy", "kubectl delete deployments.apps api"),
    ("kubectl delete namespace pay", "kubectl delete ns pay"),
    ("kubectl delete svc", "kubectl delete services api -n pay"),
    ("kubectl delete cm", "kubectl delete configmap app-config"),
    ("kubectl delete po", "kubectl delete pods --all"),
    ("kubectl delete statefulset", "kubectl delete sts db"),
    ("docker rm", "docker container rm api"),
    ("docker rmi", "docker image rm api:1"),
    ("docker volume rm", "docker volume remove data"),
    ("docker-compose down", "docker compose down -v"),
    ("git push --force", "git push -f origin main"),
    ("git branch -D", "git branch --delete --force release"),
    ("systemctl restart postgresql", "systemctl restart postgresql.service"),
    ("systemctl restart postgresql", "sudo service postgresql restart"),
    ("systemctl stop nginx", "service nginx stop"),
]
OTHER = [
    ("npm install left-pad", "npm i right-pad"),
    ("npm install left-pad", "yarn add lodash"),
    ("npm install left-pad", "npm uninstall left-pad"),
    ("npm install left-pad", "npm ls left-pad"),
    ("npm install left-pad", "npm install"),
    ("npm install left-pad", "npm i left-pad-extra"),
    ("npm install @acme/ui-kit", "npm i @acme/ui-core"),
    ("npm install -g typescript", "npm install typescript-eslint"),
    ("pip install requests", "pip install requests-mock"),
    ("pip install requests", "pip uninstall -y requests"),
    ("pip install requests", "poetry add httpx"),
    ("apt install nginx", "apt remove nginx"),
    ("kubectl delete pvc", "kubectl get pvc"),
    ("kubectl delete pvc", "kubectl delete pod ledger-7f"),
    ("kubectl delete pvc", "kubectl describe persistentvolumeclaim data-0"),
    ("kubectl delete pvc", "kubectl delete pv data-0"),
    ("kubectl delete pvc", "kubectl delete persistentvolumeclaim data-0 --dry-run=client"),
    ("kubectl delete ns", "kubectl create namespace pay"),
    ("kubectl delete deployment api", "kubectl delete deployment web"),
    ("kubectl delete deployment api", "kubectl get deploy/api"),
    ("kubectl delete pod api", "kubectl delete deployment/api"),
    ("kubectl delete svc", "kubectl delete sa api"),
    ("kubectl delete po", "kubectl logs po/api"),
    ("kubectl delete cm", "kubectl apply -f cm.yaml"),
    ("docker rm", "docker ps"),
    ("docker rmi", "docker images"),
    ("docker volume rm", "docker volume ls"),
    ("docker volume rm", "docker rm api"),
    ("docker image prune", "docker volume prune"),
    ("git push --force", "git push origin main"),
    ("git branch -D", "git branch -a"),
    ("systemctl restart postgresql", "systemctl status postgresql"),
    ("systemctl restart postgresql", "systemctl restart nginx"),
    ("systemctl stop nginx", "systemctl start nginx"),
    ("systemctl stop nginx", "service apache2 stop"),
]


@pytest.mark.parametrize(("rejected", "action"), SAME)
def test_a_command_that_does_the_same_is_blocked(gate: bardo.Gate, rejected: str, action: str) -> None:
    gate.reject(rejected)
    assert gate.before(action).decision == "block"


@pytest.mark.parametrize(("rejected", "action"), OTHER)
def test_a_command_on_something_else_is_not_blocked(gate: bardo.Gate, rejected: str, action: str) -> None:
    gate.reject(rejected)
    assert gate.before(action).decision != "block"


def test_a_command_is_found_among_many_rejected_ones(gate: bardo.Gate) -> None:
    gate.reject("kubectl delete pvc")
    for number in range(80):
        gate.reject(f"kubectl delete pod data-{number}")
    assert gate.before("kubectl delete persistentvolumeclaim data-0").decision == "block"


def test_a_correction_of_the_things_takes_the_place_of_the_command(gate: bardo.Gate) -> None:
    entry = gate.reject("kubectl delete pvc")
    gate.correct(entry.id, forbids={"packages": ["velero"]}, add=True, by="Ines")
    assert gate.before("kubectl delete persistentvolumeclaim data-0").decision == "block"
    gate.correct(entry.id, forbids={"things": ["backup volume"]}, by="Ines")
    assert gate.before("kubectl delete persistentvolumeclaim data-0").decision != "block"


@pytest.mark.parametrize(
    "text", ["service desk", "yarn for the winter", "don't push", "no npm", "", "`npm i a` or `npm i b`"]
)
def test_a_sentence_is_no_command_that_does_the_same(text: str) -> None:
    form = of_text(text)
    assert form is None or form.verb not in ("install", "push", "restart")
