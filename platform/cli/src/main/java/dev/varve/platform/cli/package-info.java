/**
 * The command line; with {@link dev.varve.platform.cli.chat}, the only package that writes to the
 * terminal. The names of its types show their groups:
 *
 * <ul>
 *   <li>{@code ...Command}: the commands of the user, which extend {@link CliCommand};
 *   <li>{@code ...Arguments}, {@code ...Options}, {@code ...Flags}: options, parsed and checked,
 *       such as {@link ServeArguments}; {@link FlagNames} maps each setting to its flag;
 *   <li>{@code Model...}, {@link NamedModel}, {@link DemoModel}: values of {@code --model}, and the
 *       files and folders that they name;
 *   <li>{@link ServedModelFactory}, {@link MultiModelServing}, {@link ProxyServing}: the server
 *       that the options describe, with {@link StopSignals} and {@link GracefulShutdown} for its
 *       end;
 *   <li>{@code Log...}, {@link ErrorReport}, {@link ProgressBar}, {@link TextTable}, {@link
 *       CliJson}: output;
 *   <li>{@link Environment}, {@link dev.varve.platform.host.CacheFolder}: the environment of the
 *       process, read in one place.
 * </ul>
 *
 * <p>They are one package because every command combines several groups of options, writes through
 * all kinds of output, and reads the fields that picocli sets. Only {@link Main} and {@link
 * MedianRatio} are public; separate packages would make about half of the types public. Models are
 * opened elsewhere: {@link ModelLoadArguments} creates a {@link
 * dev.varve.platform.host.HostSettings}.
 */
package dev.varve.platform.cli;
