/**
 * The answers that are being made: what is told of them, and how they are cancelled by others than
 * their clients. {@link dev.varve.platform.http.live.ActiveRequests} has them by their ids.
 */
package dev.varve.platform.http.live;
