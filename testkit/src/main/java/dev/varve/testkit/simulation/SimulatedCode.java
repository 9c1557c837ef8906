package dev.varve.testkit.simulation;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandleInfo;
import java.lang.reflect.AccessFlag;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Transforms a class so that it can be simulated. A call for time or threads becomes a call of
 * {@link SimulatedCalls} or {@link SimulatedThreads}: a method of the same name, to which the
 * receiver is the first argument. {@code synchronized} becomes calls as well. Before each call of
 * {@code java.util.concurrent} and each access to a volatile field other threads may continue.
 */
final class SimulatedCode {
    private static final ClassDesc CALLS = SimulatedCalls.class.describeConstable().orElseThrow();
    private static final ClassDesc THREADS =
            SimulatedThreads.class.describeConstable().orElseThrow();
    private static final ClassDesc SIMULATION = Simulation.class.describeConstable().orElseThrow();

    /** Classes that are replaced by others when an instance is created. */
    private static final Map<ClassDesc, ClassDesc> MADE =
            Map.of(
                    ClassDesc.of("java.util.concurrent", "ScheduledThreadPoolExecutor"),
                    SimulatedScheduledExecutor.class.describeConstable().orElseThrow(),
                    ClassDesc.of("java.security", "SecureRandom"),
                    SimulatedSecureRandom.class.describeConstable().orElseThrow());

    private static final MethodTypeDesc VOID = MethodTypeDesc.of(ConstantDescs.CD_void);
    private static final String CONCURRENT = "java/util/concurrent/";
    private static final String BUILDER = "java/lang/Thread$Builder";
    private static final String BODY = "$body";
    private static final String OBJECT = "java/lang/Object";
    private static final String HASH = "hashCode";

    /** Names and parameters of the methods that stand for others. */
    private static final Map<String, MethodTypeDesc> REPLACEMENTS =
            replacements(SimulatedCalls.class);

    private static final Map<String, MethodTypeDesc> BUILDING =
            replacements(SimulatedThreads.class);

    /** Classes whose methods are replaced. */
    private static final Set<String> OWNERS =
            Set.of(
                    "java/lang/System",
                    "java/lang/Thread",
                    OBJECT,
                    "java/time/Instant",
                    "java/time/InstantSource");

    private static final Set<DirectMethodHandleDesc.Kind> METHODS =
            EnumSet.of(
                    DirectMethodHandleDesc.Kind.STATIC,
                    DirectMethodHandleDesc.Kind.INTERFACE_STATIC,
                    DirectMethodHandleDesc.Kind.VIRTUAL,
                    DirectMethodHandleDesc.Kind.INTERFACE_VIRTUAL);

    private final Function<String, Optional<byte[]>> classes;
    private final Map<String, Set<String>> volatiles = new HashMap<>();
    private final ClassFile files;

    /**
     * @param classes the bytes of classes that are simulated, by internal name
     */
    SimulatedCode(Function<String, Optional<byte[]>> classes, ClassLoader loader) {
        this.classes = classes;
        files =
                ClassFile.of(
                        ClassFile.ClassHierarchyResolverOption.of(
                                ClassHierarchyResolver.ofResourceParsing(loader).cached()),
                        ClassFile.DebugElementsOption.PASS_DEBUG);
    }

    private static Map<String, MethodTypeDesc> replacements(Class<?> type) {
        Map<String, MethodTypeDesc> found = new HashMap<>();
        for (Method method : type.getDeclaredMethods()) {
            if (Modifier.isPublic(method.getModifiers())
                    && Modifier.isStatic(method.getModifiers())) {
                MethodTypeDesc shape =
                        MethodTypeDesc.of(
                                method.getReturnType().describeConstable().orElseThrow(),
                                Arrays.stream(method.getParameterTypes())
                                        .map(each -> each.describeConstable().orElseThrow())
                                        .toArray(ClassDesc[]::new));
                found.put(
                        key(method.getName(), shape.parameterList().toArray(ClassDesc[]::new)),
                        shape);
            }
        }
        return found;
    }

    /**
     * Distinguishes methods of one name by their parameters; all objects count as the same type.
     */
    private static String key(String name, ClassDesc... parameters) {
        StringBuilder key = new StringBuilder(name);
        for (ClassDesc each : parameters) {
            key.append(each.isPrimitive() ? each.descriptorString() : "L");
        }
        return key.toString();
    }

    byte[] simulated(byte[] original) {
        ClassModel model = files.parse(original);
        ClassTransform transform = this::transform;
        return files.transformClass(
                model,
                hashesByIdentity(model)
                        ? transform.andThen(
                                ClassTransform.endHandler(builder -> addHash(builder, model)))
                        : transform);
    }

    private static boolean hashesByIdentity(ClassModel model) {
        return model.superclass().filter(each -> each.asInternalName().equals(OBJECT)).isPresent()
                && !model.flags().has(AccessFlag.INTERFACE)
                && model.methods().stream()
                        .noneMatch(method -> method.methodName().equalsString(HASH));
    }

    /** Sets are iterated in the order of hashes, and those of the JVM differ from run to run. */
    private static void addHash(ClassBuilder builder, ClassModel model) {
        ClassDesc owner = model.thisClass().asSymbol();
        ClassDesc number = ConstantDescs.CD_int;
        builder.withField(HASH + BODY, number, ClassFile.ACC_PRIVATE | ClassFile.ACC_SYNTHETIC);
        builder.withMethodBody(
                HASH,
                MethodTypeDesc.of(number),
                ClassFile.ACC_PUBLIC,
                code ->
                        code.aload(0)
                                .getfield(owner, HASH + BODY, number)
                                .ifThen(
                                        Opcode.IFEQ,
                                        first ->
                                                first.aload(0)
                                                        .loadConstant(owner.displayName())
                                                        .invokestatic(
                                                                SIMULATION,
                                                                "nextHash",
                                                                MethodTypeDesc.of(
                                                                        number,
                                                                        ConstantDescs.CD_String))
                                                        .putfield(owner, HASH + BODY, number))
                                .aload(0)
                                .getfield(owner, HASH + BODY, number)
                                .ireturn());
    }

    private void transform(ClassBuilder builder, ClassElement element) {
        if (!(element instanceof MethodModel method) || method.code().isEmpty()) {
            builder.with(element);
            return;
        }
        ClassModel in = method.parent().orElseThrow();
        if (method.flags().has(AccessFlag.SYNCHRONIZED)) {
            addSynchronized(builder, in, method);
            return;
        }
        boolean initialiser = method.methodName().equalsString(ConstantDescs.CLASS_INIT_NAME);
        builder.transformMethod(
                method,
                (methods, part) -> {
                    if (part instanceof CodeModel code) {
                        methods.transformCode(code, initialiser ? new Initialiser() : this::code);
                    } else {
                        methods.with(part);
                    }
                });
    }

    /** Adds a method that enters the monitor, calls the original, and leaves the monitor. */
    private void addSynchronized(ClassBuilder builder, ClassModel in, MethodModel method) {
        boolean isStatic = method.flags().has(AccessFlag.STATIC);
        String body = method.methodName().stringValue() + BODY;
        MethodTypeDesc type = method.methodTypeSymbol();
        ClassDesc owner = in.thisClass().asSymbol();
        builder.withMethod(
                body,
                type,
                ClassFile.ACC_PRIVATE
                        | ClassFile.ACC_SYNTHETIC
                        | (isStatic ? ClassFile.ACC_STATIC : 0),
                methods -> methods.transformCode(method.code().orElseThrow(), this::code));
        int flags = method.flags().flagsMask() & ~ClassFile.ACC_SYNCHRONIZED;
        builder.withMethod(
                method.methodName().stringValue(),
                type,
                flags,
                methods -> {
                    method.findAttribute(Attributes.signature()).ifPresent(methods::with);
                    methods.withCode(code -> guarded(code, owner, body, type, isStatic));
                });
    }

    private static void guarded(
            CodeBuilder code, ClassDesc owner, String body, MethodTypeDesc type, boolean isStatic) {
        monitor(code, owner, isStatic, "monitorEnter");
        code.trying(
                guarded -> {
                    if (!isStatic) {
                        guarded.aload(0);
                    }
                    for (int i = 0; i < type.parameterCount(); i++) {
                        guarded.loadLocal(
                                TypeKind.from(type.parameterType(i)), guarded.parameterSlot(i));
                    }
                    if (isStatic) {
                        guarded.invokestatic(owner, body, type);
                    } else {
                        guarded.invokespecial(owner, body, type);
                    }
                    monitor(guarded, owner, isStatic, "monitorExit");
                    guarded.return_(TypeKind.from(type.returnType()));
                },
                catching ->
                        catching.catchingAll(
                                failed -> {
                                    monitor(failed, owner, isStatic, "monitorExit");
                                    failed.athrow();
                                }));
    }

    private static void monitor(CodeBuilder code, ClassDesc owner, boolean isStatic, String call) {
        if (isStatic) {
            code.loadConstant(owner);
        } else {
            code.aload(0);
        }
        code.invokestatic(
                CALLS, call, MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object));
    }

    /** The code that initialises a class runs in one run and in no other: it has no points. */
    private final class Initialiser implements CodeTransform {
        @Override
        public void atStart(CodeBuilder code) {
            code.invokestatic(SIMULATION, "beginInitialiser", VOID);
        }

        @Override
        public void accept(CodeBuilder code, CodeElement element) {
            if (element instanceof ReturnInstruction) {
                code.invokestatic(SIMULATION, "endInitialiser", VOID);
            }
            code(code, element);
        }
    }

    private void code(CodeBuilder code, CodeElement element) {
        switch (element) {
            case InvokeInstruction call -> invoke(code, call);
            case InvokeDynamicInstruction dynamic -> invoke(code, dynamic);
            case MonitorInstruction monitor ->
                    code.invokestatic(
                            CALLS,
                            monitor.opcode() == Opcode.MONITORENTER
                                    ? "monitorEnter"
                                    : "monitorExit",
                            MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object));
            case NewObjectInstruction made -> {
                ClassDesc type = made.className().asSymbol();
                code.new_(MADE.getOrDefault(type, type));
            }
            case FieldInstruction field -> {
                if (isVolatile(field.owner().asInternalName(), field.name().stringValue())) {
                    point(code);
                }
                code.with(field);
            }
            default -> code.with(element);
        }
    }

    private static void point(CodeBuilder code) {
        code.invokestatic(CALLS, "point", VOID);
    }

    private void invoke(CodeBuilder code, InvokeInstruction call) {
        String owner = call.owner().asInternalName();
        String name = call.name().stringValue();
        if (name.equals(ConstantDescs.INIT_NAME) && MADE.containsKey(call.owner().asSymbol())) {
            code.invokespecial(MADE.get(call.owner().asSymbol()), name, call.typeSymbol());
            return;
        }
        if (owner.startsWith(CONCURRENT)
                && !name.equals(ConstantDescs.INIT_NAME)
                && !owner.endsWith("TimeUnit")) {
            point(code);
        }
        Optional<Replacement> other =
                replacement(owner, name, call.typeSymbol(), call.opcode() == Opcode.INVOKESTATIC);
        if (other.isPresent() && call.opcode() != Opcode.INVOKESPECIAL) {
            code.invokestatic(other.get().owner(), other.get().name(), other.get().type());
            if (!other.get().type().returnType().equals(call.typeSymbol().returnType())
                    && !owner.startsWith(BUILDER)
                    && !name.startsWith("of")) {
                code.checkcast(call.typeSymbol().returnType());
            }
        } else {
            code.with(call);
        }
    }

    /** A method that stands for another one. */
    private record Replacement(ClassDesc owner, String name, MethodTypeDesc type) {}

    private static Optional<Replacement> replacement(
            String owner, String name, MethodTypeDesc type, boolean isStatic) {
        if (owner.equals("java/lang/Thread")
                && (name.equals("ofPlatform") || name.equals("ofVirtual"))) {
            return Optional.of(new Replacement(THREADS, "builder", BUILDING.get("builder")));
        }
        boolean building =
                owner.startsWith(BUILDER)
                        || owner.equals("java/lang/Thread") && name.equals("startVirtualThread");
        if (!building && !OWNERS.contains(owner) && !owner.startsWith(CONCURRENT)) {
            return Optional.empty();
        }
        ClassDesc[] parameters = type.parameterList().toArray(ClassDesc[]::new);
        if (!isStatic) {
            ClassDesc[] all = new ClassDesc[parameters.length + 1];
            all[0] = ConstantDescs.CD_Object;
            System.arraycopy(parameters, 0, all, 1, parameters.length);
            parameters = all;
        }
        MethodTypeDesc found = (building ? BUILDING : REPLACEMENTS).get(key(name, parameters));
        return Optional.ofNullable(found)
                .map(each -> new Replacement(building ? THREADS : CALLS, name, each));
    }

    private void invoke(CodeBuilder code, InvokeDynamicInstruction dynamic) {
        code.invokedynamic(
                DynamicCallSiteDesc.of(
                        dynamic.bootstrapMethod(),
                        dynamic.name().stringValue(),
                        dynamic.typeSymbol(),
                        dynamic.bootstrapArgs().stream()
                                .map(SimulatedCode::constant)
                                .toArray(ConstantDesc[]::new)));
    }

    /** A method reference may be to a method that is replaced. */
    private static ConstantDesc constant(ConstantDesc constant) {
        if (constant instanceof DirectMethodHandleDesc handle && METHODS.contains(handle.kind())) {
            String owner = handle.owner().descriptorString();
            Optional<Replacement> other =
                    replacement(
                            owner.substring(1, owner.length() - 1),
                            handle.methodName(),
                            MethodTypeDesc.ofDescriptor(handle.lookupDescriptor()),
                            handle.refKind() == MethodHandleInfo.REF_invokeStatic);
            if (other.isPresent()) {
                return MethodHandleDesc.ofMethod(
                        DirectMethodHandleDesc.Kind.STATIC,
                        other.get().owner(),
                        other.get().name(),
                        other.get().type());
            }
        }
        return constant;
    }

    private boolean isVolatile(String owner, String field) {
        return volatiles.computeIfAbsent(owner, this::volatileFields).contains(field);
    }

    private Set<String> volatileFields(String owner) {
        Set<String> found = new HashSet<>();
        classes.apply(owner)
                .ifPresent(
                        bytes -> {
                            for (FieldModel field : files.parse(bytes).fields()) {
                                if (field.flags().has(AccessFlag.VOLATILE)) {
                                    found.add(field.fieldName().stringValue());
                                }
                            }
                        });
        return found;
    }
}
