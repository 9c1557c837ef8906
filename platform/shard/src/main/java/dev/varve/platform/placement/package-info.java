/**
 * Where the layers of a model go: names of devices, weights of a split, layer ranges, and the
 * choice of a split from what the devices can do.
 */
package dev.varve.platform.placement;
