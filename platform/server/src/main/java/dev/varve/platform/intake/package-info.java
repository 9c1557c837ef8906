/**
 * What stands between sockets and request handling: how many connections a client may hold, how
 * long headers, bodies and writes may take, how much memory bodies may take, and which threads do
 * the work that bodies cause. Knows Jetty and nothing of models.
 *
 * <p>Start with {@link dev.varve.platform.intake.IngressLimits}.
 */
package dev.varve.platform.intake;
