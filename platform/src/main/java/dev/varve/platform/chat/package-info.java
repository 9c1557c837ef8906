/**
 * From messages to token ids and from token ids to text: prompts through the model's own template,
 * thoughts apart from the answer, stop strings.
 */
package dev.varve.platform.chat;
