"""Conan 2: `conan create packaging/conan`, from a checkout."""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

ROOT = os.path.join("..", "..")
SOURCES = ("CMakeLists.txt", "LICENSE", "cmake/*", "packaging/*", "core/*", "primitives/*", "algorithms/*", "flatten/*",
           "pipelines/*", "distributed/*")


class Ravel(ConanFile):
    name = "ravel"
    description = "Data-parallel primitives and flattening, on the CPU and CUDA"
    license = "Apache-2.0"
    topics = ("parallel", "scan", "sort", "flattening", "cuda")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    requires = "onetbb/[>=2021.8]", "boost/[>=1.74]"

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, ROOT, "CMakeLists.txt"))
        self.version = re.search(r"project\(ravel VERSION ([\d.]+)", text)[1]

    def export_sources(self):
        for pattern in SOURCES:
            copy(self, pattern, os.path.join(self.recipe_folder, ROOT), self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for option in ("CUDA", "TESTS", "EXAMPLES"):
            toolchain.cache_variables[f"RAVEL_{option}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # the package's own ravelConfig.cmake
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "ravel")]
