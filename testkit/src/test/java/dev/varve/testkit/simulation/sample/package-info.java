/** Scenarios with faults that a simulation must find, and with calls that it must get right. */
package dev.varve.testkit.simulation.sample;
