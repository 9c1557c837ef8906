/**
 * The HTTP server. {@link dev.varve.platform.http.HttpServer} listens; a request is let in from its
 * headers alone, its body is read without a thread, and then its route, a servlet, answers on a
 * virtual thread that may block. {@link dev.varve.platform.http.ApiContext} lists the routes.
 *
 * <p>The rooms below know nothing of routes, and each only those behind it in this list:
 *
 * <ul>
 *   <li>{@code openai}: dialects of OpenAI, their bodies and the shapes of their answers
 *   <li>{@code conversation}: what all dialects have in common, from a body to the engine's request
 *   <li>{@code answer}: brings what the engine generates to a client
 *   <li>{@code model}: the model that is served, and what clients are told of it
 *   <li>{@code access}: who may call
 *   <li>{@code metrics}: what {@code /metrics} says
 *   <li>{@code json}: fields, errors and JSON itself
 * </ul>
 */
package dev.varve.platform.http;
