package dev.varve.platform.cli;

import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.TypeConversionException;

import java.util.Arrays;
import java.util.stream.Stream;

/** Parses a constant as the user writes it, in lower case or upper case. */
record EnumConverter<E extends Enum<E>>(Class<E> type) implements ITypeConverter<E> {
    /** Registers a converter of each enumeration that an argument of the command has. */
    static void register(CommandLine command) {
        CommandSpec spec = command.getCommandSpec();
        Stream.concat(spec.options().stream(), spec.positionalParameters().stream())
                .filter(argument -> argument.converters().length == 0)
                .map(EnumConverter::type)
                .filter(Class::isEnum)
                .distinct()
                .forEach(type -> register(command, type));
    }

    private static Class<?> type(ArgSpec argument) {
        return argument.auxiliaryTypes()[0];
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // the type is known to be an enumeration
    private static void register(CommandLine command, Class<?> type) {
        command.registerConverter((Class) type, new EnumConverter(type));
    }

    @Override
    public E convert(String text) {
        E[] constants = type.getEnumConstants();
        return Arrays.stream(constants)
                .filter(
                        each ->
                                OptionHelp.word(each).equalsIgnoreCase(text)
                                        || each.name().equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(
                        () ->
                                new TypeConversionException(
                                        "expected one of "
                                                + OptionHelp.words(constants)
                                                + ", found "
                                                + text));
    }
}
