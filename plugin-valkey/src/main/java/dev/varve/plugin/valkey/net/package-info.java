/**
 * Stores over the Redis protocol, with Lettuce. Loaded with the libraries, by a class loader of
 * their own.
 */
package dev.varve.plugin.valkey.net;
