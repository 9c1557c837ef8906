package dev.varve.platform.cli;

import dev.varve.api.VarveException;

import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * Reports an error as one line, {@code varve: what is wrong}; with {@code --debug} the stack trace
 * follows. The message of a foreign exception includes its type, so that a bug report is useful.
 */
final class ErrorReport implements IParameterExceptionHandler, IExecutionExceptionHandler {
    static final int FAILURE = 1;
    static final int USAGE = 2;

    @Override
    public int handleParseException(ParameterException problem, String[] arguments) {
        CommandLine command = problem.getCommandLine();
        PrintWriter err = command.getErr();
        err.println("varve: " + oneLine(problem.getMessage()).replaceFirst("^Error: ", ""));
        if (!UnmatchedArgumentException.printSuggestions(problem, err)) {
            err.println("See: " + command.getCommandSpec().qualifiedName() + " --help");
        }
        err.flush();
        return USAGE;
    }

    @Override
    public int handleExecutionException(
            Exception problem, CommandLine command, ParseResult result) {
        PrintWriter err = command.getErr();
        err.println("varve: " + describe(problem));
        if (debug(command)) {
            StringWriter trace = new StringWriter();
            problem.printStackTrace(new PrintWriter(trace));
            err.print(FlagNames.FLAGS.render(trace.toString()));
        }
        err.flush();
        return isUsage(problem) ? USAGE : FAILURE;
    }

    /**
     * Whether an exception means wrong usage. Options are also checked where they are used; such a
     * message begins with the option.
     */
    private static boolean isUsage(Exception problem) {
        return problem instanceof UsageException
                || (problem.getMessage() != null
                        && FlagNames.FLAGS.render(problem.getMessage()).startsWith("--"));
    }

    private static boolean debug(CommandLine command) {
        return command.getCommand() instanceof CliCommand cli && cli.debug();
    }

    private static String describe(Exception problem) {
        if (problem instanceof VarveException || problem instanceof UsageException) {
            return oneLine(problem.getMessage());
        }
        if (problem instanceof IllegalArgumentException && problem.getMessage() != null) {
            return oneLine(problem.getMessage());
        }
        return "unexpected error: " + oneLine(problem.toString()) + " (--debug shows where)";
    }

    private static String oneLine(String text) {
        return FlagNames.FLAGS.render(text).strip().replaceAll("\\s*\\R\\s*", " ");
    }
}
