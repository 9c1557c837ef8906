/** {@code /v1/responses}: OpenAI's newer API for conversations, with items and events. */
package dev.varve.platform.http.responses;
