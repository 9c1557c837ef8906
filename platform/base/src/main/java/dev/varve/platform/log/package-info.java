/** Log messages with named values, which a structured log format writes as fields. */
package dev.varve.platform.log;
