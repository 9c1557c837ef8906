/**
 * The command line, and the only package that writes to the terminal.
 *
 * <p>It is larger than others, since each command, each group of shared options and each form of
 * output is a class. They use each other's members, and only {@link dev.varve.platform.cli.Main} is
 * public. Separate packages would make half of it public only for smaller folders. The class names
 * show the groups:
 *
 * <ul>
 *   <li>{@code ...Command}: the commands of the user;
 *   <li>{@code ...Arguments}, {@code ...Options}, {@code ...Flags}: options, parsed and checked;
 *       {@code FlagNames} maps each setting to its flag;
 *   <li>{@code Model...} and {@code DemoModel}: values of {@code --model};
 *   <li>{@code Log...}, {@code ErrorReport}, {@code ProgressBar}, {@code TextTable}, {@code
 *       CliJson}: output;
 *   <li>{@code Environment}, {@code CacheFolder}: the environment of the process, read in one
 *       place.
 * </ul>
 *
 * <p>Models are opened elsewhere: {@code ModelLoadArguments} creates a {@link
 * dev.varve.platform.host.HostSettings}.
 */
package dev.varve.platform.cli;
