/**
 * Events over ZeroMQ, as MessagePack. Loaded with the libraries, by a class loader of their own.
 */
package dev.varve.plugin.kvevents.zmq;
