package dev.varve.platform.chat;

import dev.varve.platform.engine.TokenGuide;

/**
 * One answer that is being generated. Both parts belong together and to this answer alone; the
 * engine's thread uses them.
 *
 * @param text what the tokens say
 * @param guide steers their choice
 */
public record ResponseState(ResponseParser text, TokenGuide guide) {}
