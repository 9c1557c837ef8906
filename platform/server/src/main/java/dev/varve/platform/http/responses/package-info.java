/** {@code /v1/responses}: conversations as OpenAI's newer API has them, with items and events. */
package dev.varve.platform.http.responses;
