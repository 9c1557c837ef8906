/**
 * Self-test of devices: checks that a device computes what the processor computes, with the demo
 * models of the installation. A check never ends the others; the caller reports the results.
 */
package dev.varve.platform.check;
