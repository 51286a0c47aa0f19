// Runs a job of a workflow as GitHub's runner does, without GitHub: its expressions are evaluated by GitHub's own
// packages, its scripts are executed in order, actions of this repository step by step. Of the actions of others it
// does what is needed here (checkout, cache, artifacts); an unknown one or an unknown input is an error.
//
// node runner.mjs PACKAGES FOLDER < JOB     PACKAGES: a node_modules; FOLDER: an empty one, where all happens
//
// JOB is JSON: {workflow, job, matrix, github, checkouts}, where checkouts has the folder of every repository, "" for
// the workflow's own. Prints {status, steps, summary, artifacts}. Artifacts and caches stay in FOLDER for the next job.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { register } from "node:module";
import { pathToFileURL } from "node:url";

// GitHub's packages are written for a bundler: they import JSON without saying so.
const hook = `export const load = (url, context, next) => next(url,
    url.endsWith(".json") ? { ...context, importAttributes: { type: "json" } } : context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

const [packages, folder] = process.argv.slice(2);
const job = JSON.parse(fs.readFileSync(0, "utf8"));
const load = (name) => import(pathToFileURL(path.join(packages, name)).href);
const { Lexer, Parser, Evaluator, data } = await load("@actions/expressions/dist/index.js");
const { parseWorkflow, NoOperationTraceWriter } = await load("@actions/workflow-parser/dist/index.js");
const { parseAction } = await load("@actions/workflow-parser/dist/actions/index.js");
const glob = await load("@actions/glob/lib/glob.js");
const yaml = (await load("yaml/dist/index.js")).default;

const place = (name) => path.join(folder, name);
const made = (name) => (fs.mkdirSync(place(name), { recursive: true }), place(name));
["work", "temp"].forEach((name) => fs.rmSync(place(name), { recursive: true, force: true }));
const [workspace, temp, artifacts, cache] = ["work", "temp", "artifacts", "cache"].map(made);
process.env.GITHUB_WORKSPACE = workspace;

const status = { failed: false };
const record = [];
const paths = [];
let summary = "";
const saved = [];

/** Refuses what GitHub's own parser refuses: keys, contexts that are not available there, functions. */
function parsed(file, parse) {
    const content = fs.readFileSync(file, "utf8");
    const errors = parse({ name: file, content }, new NoOperationTraceWriter()).context.errors.getErrors();
    if (errors.length) throw new Error(errors.map((each) => `${file}: ${each.message}`).join("\n"));
    return yaml.parse(content);
}

const STATUS = {
    always: () => true,
    success: () => !status.failed,
    failure: () => status.failed,
    cancelled: () => false,
};
const none = { minArgs: 0, maxArgs: 0 };
const hashed = (...given) => {
    throw new Error(`hashFiles(${given.map((each) => each.coerceString())}): not in an action`);
};
const functions = new Map([
    ...Object.entries(STATUS).map(([name, answer]) => [
        name, { name, ...none, call: () => new data.BooleanData(answer()) },
    ]),
    ["hashfiles", { name: "hashFiles", minArgs: 1, maxArgs: 255, call: hashed }],
]);

function value(expression, contexts) {
    const tokens = new Lexer(expression).lex().tokens;
    const tree = new Parser(tokens, Object.keys(contexts), [...functions.values()]).parse();
    const known = JSON.parse(JSON.stringify(contexts), data.reviver);
    return new Evaluator(tree, known, functions).evaluate();
}

/** A text with its expressions replaced. */
const text = (given, contexts) =>
    String(given).replace(/\$\{\{(.*?)\}\}/gs, (_, inner) => value(inner, contexts).coerceString());

const texts = (given, contexts) =>
    Object.fromEntries(Object.entries(given ?? {}).map(([key, each]) => [key, text(each, contexts)]));

function runs(condition, contexts) {
    if (condition === undefined) return !status.failed;
    const inner = String(condition).replace(/^\s*\$\{\{(.*)\}\}\s*$/s, "$1");
    const asks = Object.keys(STATUS).some((name) => new RegExp(`\\b${name}\\s*\\(`).test(inner));
    const answer = value(asks ? inner : `success() && (${inner})`, contexts);
    return value("!!x", { x: JSON.parse(JSON.stringify(answer, data.replacer)) }).coerceString() === "true";
}

/** The lines that a step wrote to GITHUB_OUTPUT or GITHUB_ENV. */
function assigned(file) {
    const found = {};
    const lines = fs.readFileSync(file, "utf8").split("\n");
    for (let at = 0; at < lines.length; at++) {
        const block = /^([^=]+?)<<(.+)$/.exec(lines[at]);
        const plain = /^([^=]+)=(.*)$/.exec(lines[at]);
        if (block) {
            const end = lines.indexOf(block[2], at + 1);
            if (end < 0) throw new Error(`${block[1]} has no end`);
            found[block[1]] = lines.slice(at + 1, end).join("\n");
            at = end;
        } else if (plain) found[plain[1]] = plain[2];
        else if (lines[at]) throw new Error(`the runner refuses the line: ${lines[at]}`);
    }
    return found;
}

function script(step, contexts, env, note, actionPath) {
    const names = ["output", "env", "path", "summary"];
    const files = Object.fromEntries(names.map((name) => [name, path.join(temp, `${record.length}-${name}`)]));
    names.forEach((name) => fs.writeFileSync(files[name], ""));
    const body = path.join(temp, `${record.length}.sh`);
    fs.writeFileSync(body, text(step.run, contexts));
    const shell = step.shell ? ["--noprofile", "--norc", "-e", "-o", "pipefail"] : ["-e"];
    const done = spawnSync("bash", [...shell, body], {
        cwd: path.join(workspace, text(step["working-directory"] ?? ".", contexts)),
        env: {
            ...process.env,
            PATH: [...paths, process.env.PATH].join(path.delimiter),
            HOME: place("."),
            CI: "true",
            GITHUB_ACTIONS: "true",
            GITHUB_WORKSPACE: workspace,
            GITHUB_ACTION_PATH: actionPath,
            GITHUB_OUTPUT: files.output,
            GITHUB_ENV: files.env,
            GITHUB_PATH: files.path,
            GITHUB_STEP_SUMMARY: files.summary,
            RUNNER_TEMP: temp,
            RUNNER_OS: "Linux",
            ...Object.fromEntries(
                Object.entries(job.github)
                    .filter(([, each]) => typeof each === "string")
                    .map(([key, each]) => [`GITHUB_${key.toUpperCase()}`, each]),
            ),
            ...env,
            ...texts(step.env, contexts),
        },
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
    });
    Object.assign(note, { code: done.status, out: done.stdout, err: done.stderr });
    Object.assign(env, assigned(files.env));
    paths.unshift(...fs.readFileSync(files.path, "utf8").split("\n").filter(Boolean).reverse());
    summary += fs.readFileSync(files.summary, "utf8");
    return { ok: done.status === 0, outputs: assigned(files.output) };
}

const found = async (pattern) => (await glob.create(pattern)).glob();

/** What is used here of the actions of others, with the inputs that they have. */
const OTHERS = {
    "actions/checkout": [["persist-credentials", "repository", "path", "ref"], (given) => {
        const to = path.join(workspace, given.path ?? ".");
        const root = job.checkouts[given.repository ?? ""];
        if (!root) throw new Error(`no such repository: ${given.repository}`);
        fs.cpSync(root, to, { recursive: true, filter: (from) => !LEFT.test(path.relative(root, from)) });
    }],
    "actions/cache": [["path", "key", "restore-keys"], (given) => {
        if (!given.key || !given.path) throw new Error("a cache without a key or a path");
        const kept = path.join(cache, given.key);
        if (fs.existsSync(kept)) fs.cpSync(kept, given.path, { recursive: true });
        else saved.push([given.path, kept]);
        return { "cache-hit": String(fs.existsSync(kept)) };
    }],
    "actions/upload-artifact": [["name", "path", "if-no-files-found", "archive"], async (given) => {
        const files = await found(path.resolve(workspace, given.path));
        if (!files.length && given["if-no-files-found"] === "error") throw new Error(`no file: ${given.path}`);
        if (given.archive === "false" && files.length !== 1) throw new Error(`one file: ${given.path}: ${files}`);
        const to = path.join(artifacts, given.name);
        if (fs.existsSync(to)) throw new Error(`two artifacts are called ${given.name}`);
        fs.mkdirSync(to);
        files.forEach((file) => fs.cpSync(file, path.join(to, path.basename(file)), { dereference: true }));
    }],
    "actions/download-artifact": [["path", "merge-multiple", "name"], (given) => {
        const to = path.join(workspace, given.path ?? ".");
        for (const each of fs.readdirSync(artifacts)) {
            const into = given["merge-multiple"] === "true" ? to : path.join(to, each);
            fs.cpSync(path.join(artifacts, each), into, { recursive: true });
        }
    }],
    "EmbarkStudios/cargo-deny-action": [[], () => {}],
};
const LEFT = /^(target|\.git|corpus|fuzz.corpus)($|\/)/;

/** Runs steps in order; those of an action see its inputs and its own steps. */
async function perform(steps, contexts, env, actionPath = "") {
    const own = { ...contexts, steps: {}, env };
    for (const step of steps) {
        const note = { name: step.name ?? step.uses ?? step.run, ran: runs(step.if, own) };
        record.push(note);
        if (!note.ran) continue;
        let result = { ok: true, outputs: {} };
        try {
            if (step.run) result = script(step, own, env, note, actionPath);
            else {
                note.with = texts(step.with, own);
                result.outputs = (await use(step.uses, note.with, own, env)) ?? {};
            }
        } catch (error) {
            note.error = error.message;
            result.ok = false;
        }
        if (step.id) {
            const word = result.ok ? "success" : "failure";
            own.steps[step.id] = { outputs: result.outputs, outcome: word, conclusion: word };
        }
        if (!result.ok && step["continue-on-error"] !== true) status.failed = true;
    }
}

async function use(uses, given, contexts, env) {
    if (!uses.startsWith("./")) {
        const [name, version] = uses.split("@");
        if (!version || !OTHERS[name]) throw new Error(`unknown action: ${uses}`);
        const [inputs, act] = OTHERS[name];
        const odd = Object.keys(given).filter((key) => !inputs.includes(key));
        if (odd.length) throw new Error(`${name} has no input ${odd}`);
        return act(given);
    }
    // As the runner joins them, which does not shorten.
    const at = `${workspace}/${uses}`;
    const action = parsed(path.join(at, "action.yml"), parseAction);
    const inputs = {};
    for (const [key, input] of Object.entries(action.inputs)) {
        inputs[key] = given[key] ?? text(input.default ?? "", contexts);
        if (input.required && !given[key]) throw new Error(`the input ${key} is required`);
    }
    const odd = Object.keys(given).filter((key) => !(key in action.inputs));
    if (odd.length) throw new Error(`${uses} has no input ${odd}`);
    const github = { ...contexts.github, action_path: at };
    // Whether a step of an action failed is seen by the job when the action has ended.
    await perform(action.runs.steps, { github, runner: contexts.runner, inputs, job: contexts.job }, { ...env }, at);
    if (status.failed) throw new Error(`a step of ${uses} failed`);
}

const workflow = parsed(job.workflow, parseWorkflow);
const chosen = workflow.jobs[job.job];
const contexts = {
    github: job.github,
    runner: { temp, os: "Linux", arch: "X64" },
    matrix: job.matrix ?? {},
    job: { status: "success" },
    needs: {},
    vars: {},
};
text(JSON.stringify(workflow.concurrency ?? ""), contexts);
text(chosen["runs-on"], contexts);
const shell = chosen.defaults?.run?.shell;
const steps = chosen.steps.map((step) => (shell && step.run ? { shell, ...step } : step));
await perform(steps, contexts, texts({ ...workflow.env, ...chosen.env }, contexts));
saved.forEach(([from, to]) => !status.failed && fs.cpSync(from, to, { recursive: true }));
const kept = fs.readdirSync(artifacts).flatMap((name) =>
    fs.readdirSync(path.join(artifacts, name)).map((file) => `${name}/${file}`));
console.log(JSON.stringify({ status: status.failed ? "failure" : "success", steps: record, summary, artifacts: kept }));
