"""Which commands only show text or a state."""

import pytest

from gieok.text.gates.verdict import ToolAttempt

_SHOWN = """
git show HEAD ; git branch -a ; git remote -v ; git stash list ; git -C app log --oneline
gh pr checks 3 ; gh run list ; kubectl get pods ; kubectl -n prod get pods
kubectl rollout status deploy/web ; docker compose logs web ; docker image ls ; podman ps
helm history web ; terraform plan ; tofu state list ; aws ec2 describe-instances
gcloud compute instances list ; heroku pg:info ; firebase projects:list ; npm ls
gcloud run services list ; railway variables ; rake routes ; heroku logs --num 100
docker context inspect prod ; kamal logs ; git reflog ; gh project list ; az webapp log tail
kubectl apply -f x --dry-run=server ; aws logs filter-log-events --log-group prod
find . -name *.py ; awk /x/ f ; git push --dry-run ; alembic current
"""
_DONE = """
terraform apply plan ; terraform state rm list ; tofu apply plan ; pulumi up plan
docker rm logs ; docker stop ps ; docker run ps ; docker image rm ls ; docker compose up logs
podman rm ps ; kubectl delete status ; kubectl config use-context view ; helm uninstall list
git checkout diff ; git branch -D status ; git merge show ; git tag list ; git stash drop
gh pr merge view ; gh workflow run list ; heroku apps:destroy logs ; fly deploy status
redis-cli set info ; vault write status a=b ; alembic downgrade plan ; ansible-playbook plan
dropdb list ; cap production logs ; aws s3 rm s3://x/ls ; find . -name *.log -delete
gcloud compute instances delete list ; gcloud compute ssh describe ; az vm delete show
railway variables --set A=b ; rake stats db:drop ; consul services deregister x
heroku apps destroy ; terraform providers lock ; helm template x --output-dir d
git diff --output=x ; rg --pre rm x ; awk -f prog.awk f ; man -P rm ls
kubectl delete pod x --dry-run=none ; git push --dry-run=false
find -delete ; find . -fprint out ; tree -o list ; history -c ; docker --odd rm logs
"""


def _does(command: str) -> bool:
    return bool(
        ToolAttempt(tool="Bash", command=command, folder="/w", root="/w").list_doing_steps()
    )


def _split_rows(rows: str) -> list[str]:
    return [part.strip() for line in rows.strip().split("\n") for part in line.split(" ; ")]


@pytest.mark.parametrize("command", _split_rows(_SHOWN))
def test_a_command_shows_by_its_first_words(command: str) -> None:
    assert not _does(command)


@pytest.mark.parametrize("command", _split_rows(_DONE))
def test_a_word_that_shows_elsewhere_makes_no_command_a_showing_one(command: str) -> None:
    assert _does(command)


def test_a_program_that_writes_what_it_shows_does_something() -> None:
    assert _does("""awk '{print > "x"}' f""")
    assert _does("echo hi > f")
    assert not _does("echo hi")
