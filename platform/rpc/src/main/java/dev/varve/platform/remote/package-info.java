/**
 * Shards in other processes: the messages between a server and a shard process, the process that
 * computes, and the server's side, which starts the process, detects its end and restarts it.
 */
package dev.varve.platform.remote;
