/**
 * Several engines of one model that share its requests. {@link
 * dev.varve.platform.replica.EnginePool} is an engine like any other for its callers. It routes
 * each request to the replica that has computed most of its prompt, unless that one has much more
 * work than others. It moves the requests of a failed replica to another one.
 */
package dev.varve.platform.replica;
