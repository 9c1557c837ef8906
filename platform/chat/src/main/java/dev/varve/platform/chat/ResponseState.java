package dev.varve.platform.chat;

import dev.varve.platform.engine.TokenConstraint;

/**
 * State of one response that is being generated. Both parts belong to this response only; the
 * engine's thread uses them.
 *
 * @param text parses the tokens
 * @param constraint steers the sampling of tokens
 */
public record ResponseState(ResponseParser text, TokenConstraint constraint) {}
