"""An executor in Python, without libraries: runs agents, and the tasks of jobs, as processes of this machine.

    GATEWAY=http://127.0.0.1:4000 EXECUTOR_KEY=wce_… python3 examples/process_executor.py

It runs spec.runtime.image as a shell command, as the user who started it: it is not a sandbox. An agent listens on $PORT
of 127.0.0.1, and this program prints its address. Output goes to files in the folder $LOGS."""
import contextlib, json, os, random, signal, subprocess, sys, threading, time, urllib.request

GATEWAY, KEY = os.environ.get("GATEWAY", "http://127.0.0.1:4000"), os.environ["EXECUTOR_KEY"]
LOGS, LEASE_SECONDS, START_SECONDS = os.environ.get("LOGS", "executor-logs"), 15, 30
# Standard input is a pipe of this program: at its end, the shell kills its process group.
GUARDED = 'exec 3<&0; sh -c "$1" </dev/null 3<&- & p=$!; { cat <&3; kill -9 0; } >/dev/null & wait $p'
agents = {}  # By the id of the resource: those that should run here, also if they failed.
busy = {}  # By the id of the assignment: those in progress.

def graphql(query, variables):
    """Sends an operation until the gateway answers: each of an executor can be repeated safely."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
    body = json.dumps({"query": query, "variables": variables}).encode()
    while True:
        try:
            request = urllib.request.Request(f"{GATEWAY}/graphql", body, headers)
            with urllib.request.urlopen(request, timeout=60) as response:
                answer = json.load(response)
            if answer.get("data"):
                return answer["data"]
            raise ValueError(answer["errors"][0]["message"])
        except (OSError, ValueError) as error:
            print(f"The request failed: {error}", file=sys.stderr)
            time.sleep(2)

def mutate(mutation, fields, **values):
    kind = mutation[0].upper() + mutation[1:]
    query = f"""mutation ($input: {kind}Input!) {{ result: {mutation}(input: $input) {{
      ... on Error {{ code message }} ... on {kind}Payload {{ {fields} }} }} }}"""
    return graphql(query, {"input": values})["result"]

def report(assignment, **values):
    """Reports on an assignment; without a state, only extends its lease. Stops it if it was lost or cancelled."""
    which = {"id": assignment["id"], "fence": assignment["fence"], "leaseSeconds": LEASE_SECONDS}
    answer = mutate("executorReportAssignment", "stop", **which, **values)
    if "code" in answer or answer["stop"]:
        end(assignment["id"])
    return "code" not in answer

def report_status(resource, generation, status, message):
    """Reports the status of a deployed agent. Returns its generation; None if something newer is desired."""
    which = {"kind": resource["kind"], "resourceId": resource["resourceId"], "generation": generation}
    return mutate("executorReportStatus", "generation", **which, status=status, message=message).get("generation")

def start(desired, **more):
    """Starts a command with its output in a file. When this program ends, even by SIGKILL, the command ends too."""
    metadata, runtime = desired["metadata"], desired["spec"].get("runtime", {})
    os.makedirs(os.path.join(LOGS, metadata["workspace"]), exist_ok=True)
    log = os.path.join(LOGS, metadata["workspace"], metadata["name"] + ".log")
    variables = {each["name"]: each.get("value", "") for each in runtime.get("envs", [])}
    command = ["sh", "-c", GUARDED, "sh", runtime.get("image", "true")]
    with open(log, "a") as output:
        pipes = {"stdin": subprocess.PIPE, "stdout": output, "stderr": output, "start_new_session": True}
        return subprocess.Popen(command, env={"PATH": os.environ["PATH"], **variables, **more}, **pipes), log

def stop(entry):
    if entry and "process" in entry:
        with contextlib.suppress(ProcessLookupError):  # Its process group may have ended.
            os.killpg(entry["process"].pid, signal.SIGKILL)

def end(assignment_id):
    busy.get(assignment_id, {})["stopped"] = True
    stop(busy.get(assignment_id))

def end_of(process, log):
    return f"exit code {process.poll()} {open(log, errors='replace').read()[-400:].strip()}".strip()

def start_agent(resource, generation):
    """Starts an agent in place of its previous process. Returns None once it answers, or why it does not."""
    stop(agents.pop(resource["resourceId"], None))
    port = random.randint(20_000, 32_000)
    process, log = start(resource["desired"], PORT=str(port))
    agent = {**resource, "process": process, "log": log, "generation": generation, "status": "FAILED"}
    agents[resource["resourceId"]] = agent
    print(f"{resource['desired']['metadata']['name']}: http://127.0.0.1:{port}", flush=True)
    for _ in range(START_SECONDS * 5):
        if process.poll() is not None:
            return end_of(process, log)
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=2).close()
        except OSError:
            time.sleep(0.2)
    return f"no answer on port {port} after {START_SECONDS} seconds"

def reconcile_agent(assignment):
    if assignment["action"] != "DEPLOY":
        stop(agents.pop(assignment["resourceId"], None))
        report(assignment, state="TERMINATED" if assignment["action"] == "DELETE" else "DEACTIVATED")
    elif report(assignment, state="DEPLOYING"):
        message = start_agent(assignment, assignment["fence"])
        state = "FAILED" if message else "DEPLOYED"
        if report(assignment, state=state, message=message, instances=0 if message else 1):
            agents[assignment["resourceId"]]["status"] = state

def run_task(assignment):
    process, log = start(assignment["desired"], TASK=assignment["desired"]["task"]["name"])
    busy[assignment["id"]]["process"] = process
    report(assignment, state="RUNNING")
    done = process.wait() == 0
    state = "CANCELLED" if "stopped" in busy[assignment["id"]] else "SUCCEEDED" if done else "FAILED"
    condition = {"type": "Completed", "state": str(done), "reason": "Exited", "message": end_of(process, log)}
    report(assignment, state=state, message=condition["message"], conditions=[condition])

def work(assignment):
    busy[assignment["id"]] = {"assignment": assignment}
    (run_task if assignment["kind"] == "JOB_EXECUTION" else reconcile_agent)(assignment)
    busy.pop(assignment["id"], None)

def adopt(found):
    """Starts an agent that should run, whoever deployed it, unless its executor is alive."""
    is_wanted = found["action"] == "DEPLOY" and found["status"] in ("DEPLOYED", "FAILED")
    if found["kind"] == "AGENT" and is_wanted and not found["isHeldByOther"]:
        generation = report_status(found, found["generation"], "FAILED", "The executor was restarted.")
        if generation and not start_agent(found, generation):
            report_status(found, generation, "DEPLOYED", "It answers.")
            agents[found["resourceId"]]["status"] = "DEPLOYED"

def watch():
    """Extends the leases, and reports agents whose process has ended."""
    while True:
        time.sleep(LEASE_SECONDS / 5)
        for entry in list(busy.values()):
            report(entry["assignment"])
        for key, agent in list(agents.items()):
            if agent["process"].poll() is not None and agent["status"] == "DEPLOYED":
                agent["status"] = "FAILED"
                report_status(agent, agent["generation"], "FAILED", end_of(agent["process"], agent["log"]))

threading.Thread(target=watch, daemon=True).start()
page = {"pageInfo": {"hasNextPage": True, "endCursor": None}}
while page["pageInfo"]["hasNextPage"]:
    page = graphql("""query ($after: String) { executorAssignments(first: 100, after: $after) {
      nodes { kind resourceId generation isHeldByOther action status desired } pageInfo { hasNextPage endCursor } } }""",
      {"after": page["pageInfo"]["endCursor"]})["executorAssignments"]
    for each in page["nodes"]:
        threading.Thread(target=adopt, args=(each,), daemon=True).start()
while True:
    leases = [{"id": key, "fence": each["assignment"]["fence"]} for key, each in list(busy.items())]
    claim = mutate("executorClaimAssignments", "assignments { id fence kind action resourceId desired } lost stopping",
                   first=10, waitSeconds=5, leaseSeconds=LEASE_SECONDS, leases=leases)
    for each in claim["assignments"]:
        threading.Thread(target=work, args=(each,), daemon=True).start()
    for key in claim["lost"] + claim["stopping"]:
        end(key)
