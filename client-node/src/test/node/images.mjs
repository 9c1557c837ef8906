// The official OpenAI and Anthropic clients with images, for a model that reads them.
import assert from 'node:assert/strict';
import { deflateSync } from 'node:zlib';

import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

import * as shared from './checks.mjs';

const { check, model } = shared;
const openai = new OpenAI({ baseURL: `${shared.url}/v1`, apiKey: shared.key, maxRetries: 0 });
const anthropic = new Anthropic({ baseURL: shared.url, apiKey: shared.key, maxRetries: 0 });
const QUESTION = 'What is it?';
const MOST = 8;

/** Tokens that a template writes around an image. */
const MARKS = 2;

function checksum(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
    }
  }
  return ~sum >>> 0;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(checksum(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

/** A PNG file of one colour in base64. */
function png(width, height, colour) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const row = [0, ...Array(width).fill(colour).flat()];
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from(Array(height).fill(row).flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]).toString('base64');
}

const SMALL = png(128, 96, [250, 120, 10]);
const SMALL_TOKENS = 4 * 3 + MARKS;
const LARGE = png(800, 640, [10, 120, 250]);
const LARGE_TOKENS = 25 * 20 + MARKS;
const MOST_LOW_TOKENS = 256 + MARKS;

const address = (data) => `data:image/png;base64,${data}`;

/** The parts of a chat message with an image. */
const parts = (url, more) => [
  { role: 'user', content: [{ type: 'text', text: QUESTION }, { type: 'image_url', image_url: { url, ...more } }] },
];

const chat = (messages, more) =>
  openai.chat.completions.create({ model, temperature: 0, max_completion_tokens: MOST, messages, ...more });

const prompt = async (messages) => (await chat(messages)).usage.prompt_tokens;

const textAlone = await prompt([{ role: 'user', content: QUESTION }]);

await check('openai chat', async () => {
  assert.equal((await prompt(parts(address(SMALL)))) - textAlone, SMALL_TOKENS);
  assert.equal((await prompt(parts(address(LARGE), { detail: 'high' }))) - textAlone, LARGE_TOKENS);
  const low = (await prompt(parts(address(LARGE), { detail: 'low' }))) - textAlone;
  assert.ok(low > SMALL_TOKENS && low <= MOST_LOW_TOKENS, `${low} tokens`);
});

await check('openai stream', async () => {
  const whole = await chat(parts(address(SMALL)));
  const stream = openai.chat.completions.stream({
    model,
    temperature: 0,
    max_completion_tokens: MOST,
    messages: parts(address(SMALL)),
  });
  const streamed = await stream.finalChatCompletion();
  assert.equal(streamed.choices[0].message.content, whole.choices[0].message.content);
});

await check('openai responses', async () => {
  const ask = (content) =>
    openai.responses.create({ model, temperature: 0, max_output_tokens: MOST, input: [{ role: 'user', content }] });
  const text = { type: 'input_text', text: QUESTION };
  const image = { type: 'input_image', image_url: address(SMALL), detail: 'auto' };
  const alone = (await ask([text])).usage.input_tokens;
  assert.equal((await ask([text, image])).usage.input_tokens - alone, SMALL_TOKENS);
});

await check('openai refusals', async () => {
  const refused = (url, reason, more) =>
    assert.rejects(chat(parts(url, more)), (e) => {
      assert.ok(e instanceof OpenAI.BadRequestError, String(e));
      assert.ok(e.message.includes('messages[0].content[1]') && e.message.includes(reason), e.message);
      return true;
    });
  await refused(address(SMALL.slice(0, 80)), 'is cut');
  await refused(address('bm8gaW1hZ2U='), 'not an image');
  await refused('https://example.com/a.png', '--allow-image-urls');
  await refused(address(SMALL), 'low, high, auto or original', { detail: 'best' });
});

const message = (content) => ({ model, max_tokens: MOST, messages: [{ role: 'user', content }] });
const block = (source) => [{ type: 'image', source }, { type: 'text', text: QUESTION }];
const inline = { type: 'base64', media_type: 'image/png', data: SMALL };

await check('anthropic messages', async () => {
  const counted = await anthropic.messages.countTokens({ ...message(block(inline)), max_tokens: undefined });
  const answer = await anthropic.messages.create({ ...message(block(inline)), temperature: 0 });
  const { input_tokens: computed, cache_read_input_tokens: cached } = answer.usage;
  assert.equal(counted.input_tokens, computed + (cached ?? 0));
  const text = await anthropic.messages.countTokens({ ...message(QUESTION), max_tokens: undefined });
  assert.equal(counted.input_tokens - text.input_tokens, SMALL_TOKENS);
});

await check('anthropic stream', async () => {
  const body = { ...message(block(inline)), temperature: 0 };
  const whole = await anthropic.messages.create(body);
  const streamed = await anthropic.messages.stream(body).finalMessage();
  assert.deepEqual(streamed.content, whole.content);
});

await check('anthropic refusals', async () => {
  await assert.rejects(anthropic.messages.create(message(block({ type: 'url', url: 'https://example.com/a.png' }))), (e) => {
    assert.ok(e instanceof Anthropic.BadRequestError, String(e));
    assert.ok(e.message.includes('--allow-image-urls'), e.message);
    return true;
  });
});
