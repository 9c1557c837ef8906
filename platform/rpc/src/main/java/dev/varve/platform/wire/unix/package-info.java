/** Transport over Unix-domain sockets: processes of one user on one machine. */
package dev.varve.platform.wire.unix;
