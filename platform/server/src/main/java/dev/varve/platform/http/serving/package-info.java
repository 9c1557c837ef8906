/**
 * The models that a server offers: {@link dev.varve.platform.http.serving.ModelManager} loads them
 * when requests name them, keeps them as long as requests use them, and lets go of those that
 * nobody uses.
 */
package dev.varve.platform.http.serving;
