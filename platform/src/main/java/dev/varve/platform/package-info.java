/** Entry point of the platform. */
package dev.varve.platform;
