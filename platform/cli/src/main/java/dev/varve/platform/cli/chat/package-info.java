/**
 * The chat in a terminal: {@link dev.varve.platform.cli.chat.ChatLoop} reads messages and commands,
 * and prints the responses of a {@link dev.varve.platform.cli.chat.ChatModel}. {@link
 * dev.varve.platform.cli.chat.TerminalChat} runs it on a terminal, and {@link
 * dev.varve.platform.cli.chat.LineChat} over standard input and output. Only {@code TerminalChat}
 * and the types that it uses refer to JLine, so that no other command loads it.
 */
package dev.varve.platform.cli.chat;
