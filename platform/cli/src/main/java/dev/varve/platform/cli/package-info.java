/**
 * The command line, and the only package that writes to the terminal.
 *
 * <p>It is larger than others, since each command is a class, each group of options that commands
 * share is one, and each form of output: they see each other's parts, and nothing but {@link
 * dev.varve.platform.cli.Main} is public. Packages of their own would make half of it public for
 * the sake of the folders. By their names there are
 *
 * <ul>
 *   <li>{@code ...Command}: what a person may ask for;
 *   <li>{@code ...Arguments}, {@code ...Options}, {@code ...Flags}: options, read and checked;
 *       {@code FlagNames} knows the flag of each setting;
 *   <li>{@code Model...} and {@code DemoModel}: what {@code --model} may name;
 *   <li>{@code Log...}, {@code ErrorReport}, {@code ProgressBar}, {@code TextTable}, {@code
 *       CliJson}: how things are told;
 *   <li>{@code Environment}, {@code CacheFolder}: what the process was started with, read in one
 *       place.
 * </ul>
 *
 * <p>Opening a model is not done here: {@code ModelLoadArguments} makes a {@link
 * dev.varve.platform.host.HostSettings}.
 */
package dev.varve.platform.cli;
