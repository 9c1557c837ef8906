/**
 * Renders messages to token ids and parses token ids into responses: prompts through the model's
 * own template; reasoning, content and tool calls are separated as early as possible.
 *
 * <p>Start with {@link dev.varve.platform.chat.ChatRenderer} for prompts and with {@link
 * dev.varve.platform.chat.ResponseSyntax} for responses. A {@code ResponseParser} parses one
 * response. Between the marks of a call, a {@link dev.varve.api.model.ToolCallParser} for the
 * syntax of the family converts the markup to JSON: one of this package, or the family's own
 * wrapped in a {@code ValidatingCallParser}.
 */
package dev.varve.platform.chat;
