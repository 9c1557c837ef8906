/**
 * The active requests: how they are listed, and cancelled on request of other callers. {@link
 * dev.varve.platform.http.live.ActiveRequests} holds them by their ids.
 */
package dev.varve.platform.http.live;
