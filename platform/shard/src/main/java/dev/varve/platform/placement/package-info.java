/**
 * Placement of a model's layers: names of devices, weights of a split, layer ranges, and the choice
 * of a split from the capabilities of the devices.
 */
package dev.varve.platform.placement;
