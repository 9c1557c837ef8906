package dev.varve.platform.cli;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.platform.log.ControlCharacters;

import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.FileSystemException;

/**
 * Reports an error as one line, {@code varve: what is wrong}; with {@code --debug} the stack trace
 * follows.
 */
final class ErrorReport implements IParameterExceptionHandler, IExecutionExceptionHandler {
    @Override
    public int handleParseException(ParameterException problem, String[] arguments) {
        CommandLine command = problem.getCommandLine();
        PrintWriter err = command.getErr();
        err.println("varve: " + oneLine(UsageMessage.of(problem)));
        err.println("See: " + command.getCommandSpec().qualifiedName() + " --help");
        err.flush();
        return ExitStatus.USAGE.code();
    }

    @Override
    public int handleExecutionException(
            Exception problem, CommandLine command, ParseResult result) {
        PrintWriter err = command.getErr();
        err.println("varve: " + describe(problem));
        if (debug(command)) {
            StringWriter trace = new StringWriter();
            problem.printStackTrace(new PrintWriter(trace));
            err.print(ControlCharacters.remove(FlagNames.FLAGS.render(trace.toString())));
        }
        err.flush();
        return ExitStatus.of(problem, describe(problem)).code();
    }

    private static boolean debug(CommandLine command) {
        return command.getCommand() instanceof CliCommand cli && cli.debug();
    }

    /** Returns the problem in one line for the user. */
    static String describe(Exception problem) {
        if (problem instanceof VarveException || problem instanceof UsageException) {
            return oneLine(problem.getMessage());
        }
        if (problem instanceof IllegalArgumentException && problem.getMessage() != null) {
            return oneLine(problem.getMessage());
        }
        String reason =
                problem instanceof FileSystemException file && file.getFile() != null
                        ? file.getFile() + ": " + FileErrors.reason(problem)
                        : "unexpected error: " + FileErrors.reason(problem);
        return oneLine(reason) + " (--debug shows where)";
    }

    /** Messages may contain text of a model file, which a terminal must not execute. */
    private static String oneLine(String text) {
        return ControlCharacters.remove(
                FlagNames.FLAGS.render(text).strip().replaceAll("\\s*\\R\\s*", " "));
    }
}
