/**
 * Several engines of one model that share its requests. {@link
 * dev.varve.platform.replica.EnginePool} is an engine like any other to whoever submits requests:
 * it gives each one to the replica that has computed most of its prompt, unless that has much more
 * to do than others, and has the requests of a replica that breaks go on at another one.
 */
package dev.varve.platform.replica;
