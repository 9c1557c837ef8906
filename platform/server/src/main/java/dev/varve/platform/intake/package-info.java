/**
 * Layer between sockets and request handling: limits the connections of a client, the time for
 * headers, bodies and writes, and the memory of bodies, and owns the threads for the work that
 * bodies cause. Depends on Jetty and not on models.
 *
 * <p>Start with {@link dev.varve.platform.intake.IngressLimits}.
 */
package dev.varve.platform.intake;
