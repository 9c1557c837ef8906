/**
 * Turns a checked request into the response that its client reads: {@link
 * dev.varve.platform.http.answer.ResponseDelivery} submits the choices of a {@link
 * dev.varve.platform.http.answer.PreparedRequest} and writes their events, as a stream or as one
 * object. The engine's thread only puts events into a bounded queue; the request of a client that
 * reads too slowly is cancelled.
 */
package dev.varve.platform.http.answer;
