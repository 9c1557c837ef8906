/**
 * Plans a layer split: measures devices with a few layers of the model, forecasts the speed of any
 * split, and chooses one.
 */
package dev.varve.platform.plan;
