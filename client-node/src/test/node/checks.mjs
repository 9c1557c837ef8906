// Common code of all client scripts: the server's address, the prompts, and the report of results.
import assert from 'node:assert/strict';

export const url = process.env.VARVE_URL;
export const key = process.env.VARVE_KEY;
export const model = process.env.VARVE_MODEL;

/** More tokens than any check has time for, so that only a cancelled request ends. */
export const ENDLESS = 6000;

/** Cities of the prompts, in turn. */
export const CITIES = ['Bern', 'Paris', 'Rome'];

export const question = (city) => `What is the weather in ${city}?`;

export const WEATHER = {
  name: 'get_weather',
  description: 'Get the weather in a city',
  schema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  },
};

/** Result of the tool. */
export const weather = () => JSON.stringify({ temperature: 17 });

/** Runs one check, and prints its result as a line of JSON. */
export async function check(name, body) {
  const line = { check: name, ok: true };
  try {
    await body();
  } catch (e) {
    line.ok = false;
    line.error = String(e?.stack ?? e).slice(0, 4000);
    process.exitCode = 1;
  }
  console.log(JSON.stringify(line));
}

/** Value of a metric of the only model. */
export async function metric(name) {
  const answer = await fetch(`${url}/metrics`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(10_000),
  });
  const line = (await answer.text()).split('\n').find((each) => each.startsWith(`${name}{`) || each.startsWith(`${name} `));
  return Number(line.slice(line.lastIndexOf(' ') + 1));
}

/** Waits until a metric meets a condition. */
async function awaitMetric(name, holds) {
  const limit = Date.now() + 20_000;
  for (let value = await metric(name); !holds(value); value = await metric(name)) {
    assert.ok(Date.now() < limit, `${name} is still ${value}`);
  }
}

/** Waits until the server computes something. */
export const busy = () => awaitMetric('varve_requests_running', (running) => running > 0);

/** Waits until the server computes nothing. */
export const idle = () => awaitMetric('varve_requests_running', (running) => running === 0);

/** Cancels a request during its response, and checks that the server stops too. */
export async function checkAbort(name, begin) {
  await check(name, async () => {
    await idle();
    const made = await metric('varve_generation_tokens_total');
    const left = await metric('varve_client_disconnects_total');
    await begin();
    await awaitMetric('varve_client_disconnects_total', (now) => now === left + 1);
    await idle();
    await awaitMetric('varve_generation_tokens_total', (now) => now < made + ENDLESS);
  });
}

/** Reads a stream up to its third part and then calls a function; an exception of the stream afterwards ends it. */
export async function breakOff(stream, abort) {
  let parts = 0;
  try {
    for await (const _ of stream) {
      parts++;
      if (parts === 3) {
        abort();
      }
    }
  } catch (e) {
    assert.ok(parts >= 3, `only ${parts} parts came: ${e}`);
  }
  assert.ok(parts >= 3, `only ${parts} parts came`);
}
