/**
 * Gets model files from a hub such as Hugging Face, or from a URL. Start with {@link
 * dev.varve.platform.hub.ModelHub}. Nothing is requested from a network unless {@code pull} is
 * called.
 */
package dev.varve.platform.hub;
