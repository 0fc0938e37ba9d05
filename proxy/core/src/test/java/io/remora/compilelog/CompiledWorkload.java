package io.remora.compilelog;

import java.io.IOException;

/**
 * A program that makes a tiered VM compile a loop on the stack, break assumptions of C2, and leave a large method
 * uninlined. It prints a sum, so that no part of it is dead.
 */
public final class CompiledWorkload {
    private static final int ROUNDS = 20_000;

    private CompiledWorkload() {}

    interface Shape {
        double area();
    }

    record Square(double side) implements Shape {
        @Override
        public double area() {
            return side * side;
        }
    }

    record Circle(double radius) implements Shape {
        @Override
        public double area() {
            return radius * radius * 3;
        }
    }

    record Triangle(double base) implements Shape {
        @Override
        public double area() {
            return base / 2;
        }
    }

    static double sum(Shape[] shapes) {
        double sum = 0;
        for (Shape shape : shapes) {
            sum += shape.area();
        }
        return sum;
    }

    static int factorial(int number) {
        return number < 2 ? 1 : number * factorial(number - 1);
    }

    /** Runs until the end of standard input if there is an argument. */
    public static void main(String[] arguments) throws IOException {
        long loop = 0;
        for (int i = 0; i < 100_000_000; i++) {
            loop += i ^ loop >> 3;
        }
        Shape[] shapes = new Shape[1_000];
        for (int i = 0; i < shapes.length; i++) {
            shapes[i] = new Square(i);
        }
        double sum = 0;
        for (int i = 0; i < ROUNDS; i++) {
            sum += sum(shapes);
        }
        // C2 has relied on squares alone
        shapes[10] = new Circle(3);
        shapes[500] = new Triangle(1);
        for (int i = 0; i < ROUNDS; i++) {
            sum += sum(shapes);
        }
        for (int i = 0; i < 10 * ROUNDS; i++) {
            sum += factorial(12);
        }
        System.out.println("sum " + (loop + sum));
        if (arguments.length > 0) {
            System.out.flush();
            System.in.read();
        }
    }
}
