/**
 * Shards in other processes: what is said between a server and a shard process, the process that
 * computes, and the server's side, which starts it, notices its end and brings it back.
 */
package dev.varve.platform.remote;
