/**
 * Fetches the images that requests name by URL, from hosts that the operator allows. Addresses are
 * checked before the connection is made to exactly those.
 */
package dev.varve.platform.http.fetch;
